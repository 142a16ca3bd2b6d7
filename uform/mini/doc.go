// Package mini is a small model, embedded in the program that imports it.
//
// It takes texts, images, videos and recordings. It is made from a seed and not trained: hashed
// byte n-grams and words with random rows, one transformer layer over them, and a lexical lane;
// random projections of patches for the rest. Texts that share words, or parts of words, are close
// to each other; synonyms are not. Of pictures and sounds it can tell that two are alike, not what
// they show, nor which text belongs to them. It is there to run examples and tests without a
// download, and to try a program with before it gets a real model.
//
//	library, err := uform.Open(nil)
//	model, err := mini.Load(ctx, library, nil)
//
// The program in makemini writes the file, byte for byte the same each time.
package mini
