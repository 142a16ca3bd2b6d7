package recipes_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// The rows are multiplied where they are: the pin keeps them until Release.
func Example_gonum() {
	library := must(uform.Open(nil))
	model := must(words.Load(ctx, library, nil))
	defer model.Close()
	arena := must(library.NewArena(nil))
	defer arena.Close()
	rows := must(model.TextEncode(ctx, uform.Strings(append(texts, question)), arena, nil)).Embeddings
	pin := must(rows.Pin())
	defer pin.Release()
	vectors := blas32.General{Rows: rows.Len(), Cols: rows.Columns(), Stride: rows.Columns(), Data: must(pin.Dense())}
	similar := blas32.General{Rows: 4, Cols: 4, Stride: 4, Data: make([]float32, 16)}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, vectors, vectors, 0, similar)
	fmt.Printf("%.2f\n", similar.Data[12:])
	// Output: [0.08 0.45 -0.02 1.00]
}
