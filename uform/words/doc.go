// Package words is a small text model of meaning, embedded in the program that imports it.
//
// It ranks sentences, phrases and words by meaning: "share prices are falling" is near "stocks fell
// sharply", although they share almost no words. It takes four megabytes, reads more than ten
// thousand sentences a second on one core, tolerates typing errors, and ignores letter case, white
// space and runs of punctuation. It is made for English; of other languages it knows
// little more than that words which look alike may mean the same.
//
//	library, err := uform.Open(nil)
//	model, err := words.Load(ctx, library, nil)
//	vectors, err := model.Embed(ctx, []string{"a cat sat on the mat", "a kitten is on the carpet"})
//
// TextChoose supports two types of questions about nouns, 0 with Y or N and 1 with A to D, in these
// words and no others:
//
//	Is it a person, Y or N? teacher
//	Is it A a person, B an animal, C a place, D a thing that was made? horse
//
// For the first type "a person" may also be "an animal", "a place", "a thing that was made",
// "food", "a plant", "a feeling" or "something that is done". The results for other questions mean
// nothing.
//
// MODEL.md says how it was made and from what, what it is good for, how often it is right, and
// where it fails. It supports neither pictures nor sound: ImageEncode and similar calls return
// [uform.ErrUnsupported]. Package mini supports all of these, untrained.
package words
