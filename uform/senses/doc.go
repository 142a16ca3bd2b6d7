// Package senses is a small model, embedded in the program that imports it, in which a text finds
// its picture and its spoken word. It is a first light: it has seen emoji and has heard a synthetic
// voice, nothing else.
//
//	library, err := uform.Open(nil)
//	model, err := senses.Load(ctx, library, nil)
//	names, err := model.TextEncode(ctx, uform.Strings([]string{"owl", "rocket"}), arena, nil)
//	pictures, err := model.ImageEncode(ctx, uform.Bytes(files), another, nil)
//
// Vectors of texts, pictures and recordings stand in one space of 128 columns. MODEL.md reports how
// often a name finds what it is the name of. For texts alone package words is better.
package senses
