// Command images finds the images that are nearest to one of them, and draws a contact sheet of the
// result.
//
// Without arguments it draws a small gallery of its own, as JPEG and PNG files in memory, and
// searches that:
//
//	go run ./examples/images
//	go run ./examples/images -query night-3.jpg -sheet night.png
//
// Otherwise it searches the files and folders that it is given:
//
//	go run ./examples/images -query me.jpg ~/Pictures
//	go run ./examples/images -model trained.safetensors -text 'a dog in the snow' ~/Pictures
//
// A file named "-" is standard input. Formats are detected by content; files that are not images
// are skipped, with the reason. Pictures are compared by a model that is not trained: it sees
// colours and shapes, but no meaning. A text is asked of the model of package senses, which knows
// emoji and little else. -model loads another, a folder of CLIP or SigLIP too.
//
// It shows [uform.On.ImageEncode], how an error names the file at fault, and progress of a call.
// Most of the program is shared with the examples audio and video, in examples/internal/nearest.
package main
