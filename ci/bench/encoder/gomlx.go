package main

import (
	"fmt"

	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
)

// gomlxProduct returns a product of m rows x with n rows w, of k scalars each, by GoMLX's backend
// in pure Go. The weights are set once, the rows for each call, and the products stay in the
// backend.
func gomlxProduct(x, w []float32, m, n, k int) (run func() error, product func() ([]float32, error), err error) {
	backend, err := simplego.New("")
	if err != nil {
		return nil, nil, fmt.Errorf("start GoMLX: %w", err)
	}
	exec, err := graph.NewExec(backend, func(x, w *graph.Node) *graph.Node { return graph.Einsum("mk,nk->mn", x, w) })
	if err != nil {
		return nil, nil, fmt.Errorf("build GoMLX's graph: %w", err)
	}
	weights, rows := tensors.FromFlatDataAndDimensions(w, n, k), tensors.FromFlatDataAndDimensions(x, m, k)
	run = func() error {
		out, err := exec.Exec1(rows, weights)
		if err != nil {
			return err
		}
		return out.FinalizeAll()
	}
	product = func() ([]float32, error) {
		out, err := exec.Exec1(rows, weights)
		if err != nil {
			return nil, err
		}
		return tensors.CopyFlatData[float32](out)
	}
	return run, product, nil
}
