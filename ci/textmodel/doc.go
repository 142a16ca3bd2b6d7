// Command textmodel makes the checkpoint of package words: it gathers sentences, asks a teacher what they mean, trains a
// small model to say the same, gives it a byte decoder, and measures it.
//
//	bash ci/textmodel/fetch.sh ci/textmodel/sources
//	go run -C ci/textmodel . -data FOLDER -checkpoint ../../uform/words/words.safetensors teach train
//	go run -C ci/textmodel . -data FOLDER -checkpoint ../../uform/words/words.safetensors -steps 2500 decide
//	go run -C ci/textmodel . -data FOLDER -checkpoint ../../uform/words/words.safetensors refold
//	go run -C ci/textmodel . -data FOLDER -checkpoint ../../uform/words/words.safetensors -card ../../uform/words/MODEL.md judge
//
// FOLDER holds sentences.txt.xz, pairs.txt.xz and sts-dev.csv. teach takes twenty minutes of a processor's time, train
// fifteen and decide ten; what teach has done is kept, so that it can be interrupted.
//
// refold names the second fold in a checkpoint that was trained with the first. sense makes the checkpoint of package senses
// from that of words: a text finds its emoji and its spoken word.
package main
