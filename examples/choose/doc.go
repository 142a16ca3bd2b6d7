// Command choose asks a model to choose: yes or no, or one of A, B, C and D.
//
// Without arguments it asks questions of its own:
//
//	go run ./examples/choose
//
// Or it asks yours. A text ends where its choice goes, and each choice is one byte that may follow
// it:
//
//	go run ./examples/choose -text 'Is it an animal, Y or N? spoon' -choices YN
//	go run ./examples/choose -choices YN questions.txt
//
// A file has a question a line; one named "-" is standard input.
//
// It shows TextChoose, which answers one probability for each choice in the order of the choices. A
// model may be calibrated for several types of questions; -type selects one.
//
// The embedded model is that of package words, which knows the questions of the samples for any
// noun, is right more often than not, and reports how sure it may be; what it says of other
// questions means nothing. -model loads one of yours.
package main
