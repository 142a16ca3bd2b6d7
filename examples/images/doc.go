// Command images finds the images that are nearest to one of them, and draws a contact sheet of
// what it found.
//
// Without arguments it draws a small gallery of its own, as JPEG and PNG files in memory, and looks
// in that:
//
//	go run ./examples/images
//	go run ./examples/images -query night-3.jpg -sheet night.png
//
// Otherwise it looks through the files and folders that it is given:
//
//	go run ./examples/images -query me.jpg ~/Pictures
//	go run ./examples/images -model trained.safetensors -text 'a dog in the snow' ~/Pictures
//
// A file named "-" is standard input. Files are told apart by their content; those that are no
// images are left out, with the reason. The embedded model is not trained: it sees colours and
// shapes, and does not know what they show. So a text finds nothing of use with it; -model loads
// one of yours.
//
// It shows [uform.On.ImageEncode], how an error names the file at fault, and progress of a call.
// Most of the program is that of the examples audio and video too, in examples/internal/nearest.
package main
