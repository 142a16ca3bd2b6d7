package tokenizer_test

import (
	"context"
	"fmt"
	"os"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

func Example() {
	data, err := os.ReadFile("testdata/bert-uncased.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	tok, err := tokenizer.Parse(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	var scratch tokenizer.Scratch
	ids, covered, err := tok.Encode(&scratch, nil, []byte("Is this the café?"), 6)
	fmt.Println(tok.Kind(), len(ids), covered, err)
	first, _ := tok.ID("[CLS]")
	last, _ := tok.ID("[SEP]")
	fmt.Println(ids[0] == first, ids[5] == last)
	// Output:
	// WordPiece 6 13 <nil>
	// true true
}
