// Package words is a small text model of meaning, embedded in the program that imports it.
//
// It ranks sentences, phrases and words by what they mean: "share prices are falling" is near
// "stocks fell sharply", although they share next to nothing. It takes four megabytes, reads more
// than ten thousand sentences a second on one core, forgives typing errors, and does not look at
// letter case, white space or runs of punctuation. It is English first; of other languages it knows
// little more than that words which look alike may mean the same.
//
//	library, err := uform.Open(nil)
//	model, err := words.Load(ctx, library, nil)
//	vectors, err := model.Embed(ctx, []string{"a cat sat on the mat", "a kitten is on the carpet"})
//
// TextChoose answers two types of questions about nouns, 0 with Y or N and 1 with A to D, in these
// words and no others:
//
//	Is it a person, Y or N? teacher
//	Is it A a person, B an animal, C a place, D a thing that was made? horse
//
// For the first type "a person" may also be "an animal", "a place", "a thing that was made",
// "food", "a plant", "a feeling" or "something that is done". What it says of other questions means
// nothing.
//
// MODEL.md tells what it was made from and how, what it is good for, how often it is right, and
// where it fails. It has no eyes and no ears: ImageEncode and its like are [uform.ErrUnsupported].
// Package mini has all of these, untrained.
package words
