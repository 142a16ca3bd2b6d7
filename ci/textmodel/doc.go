// Command textmodel makes the checkpoint of package words: it gathers sentences, asks a teacher what they mean, trains a
// small model to say the same, and measures it.
//
//	bash ci/textmodel/fetch.sh sources
//	go run -C ci/textmodel . -data ../../../shared/data -checkpoint ../../uform/words/words.safetensors teach train judge
//
// teach takes an hour of processor time and train a quarter of one; what teach has done is kept, so that it can be
// interrupted. With the same sources the same bytes come out on the same kind of processor.
package main
