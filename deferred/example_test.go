package deferred_test

import (
	"context"
	"fmt"
	"log"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// A deferred call is selected on like a channel, and keeps its result for everybody who waits.
func Example() {
	ctx := context.Background()
	library, err := uform.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := mini.Load(ctx, library, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	executor, err := library.NewExecutor(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer executor.Close()
	arena, err := library.NewArena(executor)
	if err != nil {
		log.Fatal(err)
	}
	defer arena.Close()

	call, err := model.Deferred(executor).TextEncode(ctx, uform.Strings([]string{"a cat on a mat"}), arena, nil)
	if err != nil {
		log.Fatal(err)
	}
	select {
	case <-call.Done():
	case <-ctx.Done():
	}
	encoded, err := call.Wait(ctx)
	fmt.Println(encoded.Embeddings.Len(), encoded.Embeddings.Columns(), err)
	// Output: 1 192 <nil>
}
