// Command choose asks a model to choose: yes or no, or one of A, B, C and D.
//
// Without arguments it asks built-in questions:
//
//	go run ./examples/choose
//
// Or it asks yours. A text ends where its choice goes, and each choice is one byte that may follow
// it:
//
//	go run ./examples/choose -text 'Is it an animal, Y or N? spoon' -choices YN
//	go run ./examples/choose -choices YN questions.txt
//
// A file has one question per line; a file named "-" is standard input.
//
// It shows TextChoose, which returns one probability for each choice in the order of the choices. A
// model may be calibrated for several types of questions; -type selects one.
//
// The embedded model is that of package words. It was trained on the questions of the samples, for
// any noun: it is right more often than not, and its probabilities say how often. Its answers to
// other questions mean nothing. -model loads another one.
package main
