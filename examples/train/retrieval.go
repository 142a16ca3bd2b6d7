package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/unum-cloud/uform-go/uform"
)

// judge prints how well a checkpoint finds the right side of each pair by its left side.
func judge(ctx context.Context, library *uform.Library, checkpoint []byte, held []pair, stdout io.Writer, when string) error {
	model, err := library.LoadBytes(ctx, checkpoint, nil)
	if err != nil {
		return err
	}
	defer model.Close()
	var left, right []string
	for _, p := range held {
		left, right = append(left, p.left), append(right, p.right)
	}
	asked, err := model.Embed(ctx, left)
	if err != nil {
		return err
	}
	there, err := model.Embed(ctx, right)
	if err != nil {
		return err
	}
	first, tenth := 0, 0
	for i := range asked {
		switch rank := rankOf(asked[i], there, i); {
		case rank == 0:
			first++
			fallthrough
		case rank < 10:
			tenth++
		}
	}
	share := func(found int) float64 { return 100 * float64(found) / float64(len(held)) }
	line := fmt.Sprintf("%-6s the partner comes first for %5.1f %%", when, share(first))
	if len(held) > 10 { // with ten or fewer, all are among the first ten
		line += fmt.Sprintf(", among the first ten of %d for %5.1f %%", len(held), share(tenth))
	}
	_, err = fmt.Fprintln(stdout, line)
	return err
}

// rankOf returns the number of vectors that are at least as close as the right one.
func rankOf(asked []float32, there [][]float32, right int) int {
	closeness := make([]float32, len(there))
	for j, vector := range there {
		for k, v := range vector {
			closeness[j] += v * asked[k]
		}
	}
	wanted := closeness[right]
	closeness = slices.Delete(closeness, right, right+1)
	rank := 0
	for _, c := range closeness {
		if c >= wanted {
			rank++
		}
	}
	return rank
}
