package arena_test

import (
	"context"
	"fmt"
	"log"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Rows are read in place while the arena is not used again; what is to be kept is copied.
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
	memory, err := library.NewArena(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer memory.Close()

	first, err := model.TextEncode(ctx, uform.Strings([]string{"one", "two"}), memory, nil)
	if err != nil {
		log.Fatal(err)
	}
	kept, err := first.Embeddings.Copy()
	if err != nil {
		log.Fatal(err)
	}
	_, err = model.TextEncode(ctx, uform.Strings([]string{"three"}), memory, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kept:", len(kept), "rows of", len(kept[0]))
	fmt.Println("view:", first.Embeddings.Err())
	// Output:
	// kept: 2 rows of 192
	// view: uform: read rows: invalid argument: a later call rewound the arena: copy what is to be kept, or give that call another arena
}
