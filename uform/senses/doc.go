// Package senses is a small trained model, embedded in the program that imports it. A text, the
// picture of what it names, and a recording of somebody who says it get similar vectors, so one can
// search for any of the three by any other. It is a first step: its pictures were emoji and its
// recordings a synthetic voice, and nothing else.
//
//	library, err := uform.Open(nil)
//	model, err := senses.Load(ctx, library, nil)
//	names, err := model.TextEncode(ctx, uform.Strings([]string{"owl", "rocket"}), arena, nil)
//	pictures, err := model.ImageEncode(ctx, uform.Bytes(files), another, nil)
//
// Vectors of texts, pictures and recordings have 128 columns and are compared with each other by
// their dot product. MODEL.md reports how often a name finds its picture and its recording. For
// texts alone package words is better.
package senses
