// Package words is a small trained text model, embedded in the program that imports it.
//
// Texts of similar meaning get similar vectors: "share prices are falling" is near "stocks fell
// sharply", although the two have no word in common. The model takes four megabytes, encodes more
// than ten thousand sentences a second on one core, tolerates typing errors, and ignores letter
// case, white space and repeated punctuation. It is made for English. In other languages it does
// little more than compare the spelling of words.
//
//	library, err := uform.Open(nil)
//	model, err := words.Load(ctx, library, nil)
//	vectors, err := model.Embed(ctx, []string{"a cat sat on the mat", "a kitten on a carpet"})
//
// TextChoose answers two types of questions about nouns: type 0 by Y or N, and type 1 by A, B, C or
// D. They must be asked in exactly these words:
//
//	Is it a person, Y or N? teacher
//	Is it A a person, B an animal, C a place, D a thing that was made? horse
//
// For the first type "a person" may also be "an animal", "a place", "a thing that was made",
// "food", "a plant", "a feeling" or "something that is done". Its answers to other questions mean
// nothing.
//
// MODEL.md says what it was made from and how, what it is good for, how often it is right, and
// where it fails. It encodes texts only: ImageEncode, VideoEncode and AudioEncode return
// [uform.ErrUnsupported]. Package senses encodes images and recordings.
package words
