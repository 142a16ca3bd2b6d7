// Package tokenizer makes tokens of texts as the models of others expect them: exactly the ids of
// the reference implementation, Hugging Face's tokenizers.
//
// The models are WordPiece, byte-pair encoding and Unigram, with the normalizers, pre-tokenizers,
// post-processors and added tokens of a tokenizer.json. Every text takes time in proportion to its
// length, whatever is in it. The tables of Unicode are those of the reference, which are older than
// Go's and of several releases; testdata/tables.py measures them.
//
// The tables are made again where the reference's Python package is installed, beside the source of
// its crate unicode-segmentation:
//
//	cd testdata
//	python3 tables.py unicode-segmentation-1.13.3/src/tables.rs > ../tables_generated.go
package tokenizer
