// Command textmodel makes the checkpoint of package words: it gathers sentences, computes a
// teacher's vectors of them, trains a small model to reproduce these, adds a byte decoder, and
// evaluates the model.
//
//	WORDS=../../uform/words
//	bash ci/models.sh ci/textmodel/models
//	bash ci/textmodel/fetch.sh ci/textmodel/sources
//	go run -C ci/textmodel . -data FOLDER -checkpoint $WORDS/words.safetensors teach train
//	go run -C ci/textmodel . -data FOLDER -checkpoint $WORDS/words.safetensors -steps 2500 decide
//	go run -C ci/textmodel . -data FOLDER -checkpoint $WORDS/words.safetensors \
//		-card $WORDS/MODEL.md judge
//
// FOLDER holds sentences.txt.xz, pairs.txt.xz and sts-dev.csv. No sentence or pair of the latter is
// learned from, and no near copy. The results of teach are kept, so that it can be interrupted.
//
// sense makes the checkpoint of package senses from that of words: it matches a text with its emoji
// and its spoken word.
package main
