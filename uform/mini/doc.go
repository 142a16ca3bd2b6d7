// Package mini is a small untrained model, embedded in the program that imports it. It is for
// examples and tests that should not need a download, and for trying a program before it gets a
// real model.
//
// It encodes texts, images, videos and recordings. Its weights are random numbers made from a seed:
// rows for hashed words and parts of words, one transformer layer, and projections of the patches
// of pictures and sounds. Texts that share words, or parts of words, get similar vectors; synonyms
// do not. Similar pictures get similar vectors, and so do similar sounds, but not a picture and the
// text that describes it.
//
//	library, err := uform.Open(nil)
//	model, err := mini.Load(ctx, library, nil)
//
// The program in makemini writes the model's file, the same bytes each time.
package mini
