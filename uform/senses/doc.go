// Package senses is a small model, embedded in the program that imports it, that matches a text
// with its picture and its spoken word. It is a demonstration: it was trained on emoji and a
// synthetic voice, nothing else.
//
//	library, err := uform.Open(nil)
//	model, err := senses.Load(ctx, library, nil)
//	names, err := model.TextEncode(ctx, uform.Strings([]string{"owl", "rocket"}), arena, nil)
//	pictures, err := model.ImageEncode(ctx, uform.Bytes(files), another, nil)
//
// Vectors of texts, pictures and recordings are in one space of 128 columns. MODEL.md reports how
// often a name finds its picture or sound. For texts alone package words is better.
package senses
