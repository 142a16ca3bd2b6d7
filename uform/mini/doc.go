// Package mini is a small model, embedded in the program that imports it.
//
// It accepts texts, images, videos and recordings. It is made from a seed and not trained: hashed
// byte n-grams and words with random rows, one transformer layer over them, and a lexical lane;
// random projections of patches for the rest. Texts that share words, or parts of words, are close
// to each other; synonyms are not. Two similar pictures or sounds are close, but the vectors do not
// say what they show, nor which text describes them. Its purpose is to run examples and tests
// without a download, and to try a program before it gets a real model.
//
//	library, err := uform.Open(nil)
//	model, err := mini.Load(ctx, library, nil)
//
// The program in makemini writes the file, byte for byte the same each time.
package mini
