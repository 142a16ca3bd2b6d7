// Command textmodel makes the checkpoint of package words: it gathers sentences, computes a
// teacher's vectors of them, trains a small model to reproduce these, adds a byte decoder, and
// evaluates the model.
//
//	WORDS=../../uform/words
//	bash ci/textmodel/fetch.sh ci/textmodel/sources
//	go run -C ci/textmodel . -data FOLDER -checkpoint $WORDS/words.safetensors teach train
//	go run -C ci/textmodel . -data FOLDER -checkpoint $WORDS/words.safetensors -steps 2500 decide
//	go run -C ci/textmodel . -data FOLDER -checkpoint $WORDS/words.safetensors refold
//	go run -C ci/textmodel . -data FOLDER -checkpoint $WORDS/words.safetensors \
//		-card $WORDS/MODEL.md judge
//
// FOLDER holds sentences.txt.xz, pairs.txt.xz and sts-dev.csv. teach takes twenty minutes of
// processor time, train fifteen and decide ten. The results of teach are kept, so that it can be
// interrupted.
//
// refold sets the second fold in a checkpoint that was trained with the first. sense makes the
// checkpoint of package senses from that of words: it matches a text with its emoji and its spoken
// word.
package main
