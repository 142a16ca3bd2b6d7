// Package words is a small text model that knows meanings, embedded in the program that imports it.
//
// It ranks sentences, phrases and words by what they mean: "share prices are falling" is near "stocks fell sharply",
// although they share next to nothing. It takes four megabytes, reads thousands of sentences a second on one core, forgives
// typing errors, and does not look at letter case. It is English first; of other languages it knows little more than that
// words which look alike may mean the same.
//
//	library, err := uform.Open(nil)
//	model, err := words.Load(ctx, library, nil)
//	vectors, err := model.Embed(ctx, []string{"a cat sat on the mat", "a kitten is on the carpet"})
//
// MODEL.md tells what it was made from and how, what it is good for, and where it fails. It has no eyes, no ears and no byte
// decoder: ImageEncode and its like, and TextChoose, are [errors.ErrUnsupported]. Package mini has all of these, untrained.
package words
