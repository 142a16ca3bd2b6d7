package onnx

import (
	"math"
	"runtime"
)

// BERT is a session of a model's own file, as exporters write a BERT: from ids, a mask and types of
// tokens it computes the rows of the last layer. The mean of a text's rows and its unit length are
// computed here.
type BERT struct {
	session *Session
	width   int
}

// NewBERT prepares the file at a path, whose rows have so many scalars, with all optimizations.
func (r *Runtime) NewBERT(path string, threads, width int) (*BERT, error) {
	session, err := r.newSessionOf(path, threads, []string{"input_ids", "attention_mask", "token_type_ids", "last_hidden_state"})
	return &BERT{session, width}, err
}

// Close frees the session.
func (b *BERT) Close() { b.session.Close() }

// Tokens is a batch of ids, padded to its longest text.
type Tokens struct {
	Batch, Length    int
	IDs, Mask, Types []int64
}

// PadTokens returns the batch of some texts' ids.
func PadTokens(texts [][]int32) *Tokens {
	in := &Tokens{Batch: len(texts)}
	for _, text := range texts {
		in.Length = max(in.Length, len(text))
	}
	size := in.Batch * in.Length
	in.IDs, in.Mask, in.Types = make([]int64, size), make([]int64, size), make([]int64, size)
	for i, text := range texts {
		for j, id := range text {
			in.IDs[i*in.Length+j], in.Mask[i*in.Length+j] = int64(id), 1
		}
	}
	return in
}

// Run computes the embeddings of a batch into dst. One goroutine at a time may run a session.
func (b *BERT) Run(in *Tokens, dst []float32) error {
	s := b.session
	s.flat = [2]int64{int64(in.Batch), int64(in.Length)}
	for _, ids := range [][]int64{in.IDs, in.Mask, in.Types} {
		if err := s.give(address(&ids[0]), 8*len(ids), s.flat[:], typeInt64); err != nil {
			return err
		}
	}
	defer runtime.KeepAlive(in)
	return s.run(in.Batch*in.Length*b.width, func(rows []float32) {
		for text := range in.Batch {
			pool(dst[text*b.width:][:b.width], rows[text*in.Length*b.width:], in.Mask[text*in.Length:][:in.Length])
		}
	})
}

// pool writes the mean of the rows that the mask has, of unit length.
func pool(to, rows []float32, mask []int64) {
	clear(to)
	for i, real := range mask {
		if real == 0 {
			break
		}
		for c, v := range rows[i*len(to):][:len(to)] {
			to[c] += v
		}
	}
	var squares float64
	for _, v := range to {
		squares += float64(v) * float64(v)
	}
	by := float32(1 / math.Sqrt(squares))
	for c := range to {
		to[c] *= by
	}
}
