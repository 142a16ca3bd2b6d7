package engine_test

import (
	"bytes"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Programs use package uform, which calls the table for them. This is what it does: a deferred call
// on an executor with a thread of its own, whose rows lie in an arena.
func Example() {
	library := engine.New()
	outcome := &abi.Outcome{}

	var loaded abi.Model
	library.ModelLoadBytes(&abi.ModelLoad{Model: &loaded, Outcome: outcome}, vowels())
	defer library.ModelFree(loaded)

	var executor abi.Executor
	library.ExecutorInit(&abi.ExecutorInit{
		Executor: &executor, Outcome: outcome, Threads: 1, Exclusivity: abi.CallerExclusive,
	})
	defer library.ExecutorFree(executor)

	var arena abi.Arena
	library.ArenaInit(&abi.ArenaInit{Arena: &arena, Executor: executor, Outcome: outcome})
	defer library.ArenaFree(arena)

	var embeddings abi.RowsView
	library.TextEncode(&abi.TextEncode{
		Model:      loaded,
		Executor:   executor,
		Outcome:    outcome,
		Completion: abi.CompletionDeferring,
		Count:      2,
		Texts:      tape("audio", "rhythm"),
		Arena:      arena,
		Embeddings: &embeddings,
	})
	fmt.Println(library.OutcomeWait(outcome))
	for row := range 2 {
		fmt.Printf("%.4f\n", floats(embeddings, 2)[2*row:2*row+2])
	}

	library.TextEncode(&abi.TextEncode{
		Model: loaded, Outcome: outcome, Count: 1, Texts: tape("\xff"), Arena: arena, Embeddings: &embeddings,
	})
	fmt.Println(outcome.Status, outcome.Item, abi.TextAt(outcome.Message))
	// Output:
	// success
	// [0.9701 0.2425]
	// [0.0000 1.0000]
	// malformed 0 the text is not valid UTF-8
}

// vowels returns a checkpoint whose embeddings hold the shares of vowels and of other letters.
func vowels() []byte {
	letters := make([]float32, 256*2)
	for b := range 256 {
		if bytes.IndexByte([]byte("aeiou"), byte(b)) >= 0 {
			letters[2*b] = 1
		} else {
			letters[2*b+1] = 1
		}
	}
	config := &model.Config{Modalities: []string{"text"}, Context: 32, Width: 2, Columns: 2}
	var file bytes.Buffer
	err := model.Write(&file, config, []model.Tensor{
		model.FloatTensor("bytes", letters, 256, 2),
		model.FloatTensor("projection", []float32{1, 0, 0, 1}, 2, 2),
		model.FloatTensor("empty", []float32{1, 0}, 2),
	})
	if err != nil {
		panic(err)
	}
	return file.Bytes()
}
