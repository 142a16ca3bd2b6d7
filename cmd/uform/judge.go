package main

import (
	"context"
	"fmt"
	"io"

	"github.com/unum-cloud/uform-go/uform"
)

// judge prints how well a model finds the second text of each pair by the first, among the second
// texts of all pairs, and closes the model.
func judge(ctx context.Context, model *uform.Model, held []pair, out io.Writer, when string) (err error) {
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
	first, tenth, reciprocal := 0, 0, 0.0
	for i := range asked {
		rank := rankOf(asked[i], there, held, i)
		if rank == 0 {
			first++
		}
		if rank < 10 {
			tenth++
		}
		reciprocal += 1 / float64(rank+1)
	}
	share := func(found int) float64 { return 100 * float64(found) / float64(len(held)) }
	line := fmt.Sprintf("%-6s the partner is the nearest of %d for %5.1f %%", when, len(held), share(first))
	if len(held) > 10 { // with ten or fewer, all are among the first ten
		line += fmt.Sprintf(", among ten for %5.1f %%", share(tenth))
	}
	_, err = fmt.Fprintf(out, "%s, mean reciprocal rank %.3f\n", line, reciprocal/float64(len(held)))
	return err
}

// rankOf returns how many vectors are at least as near as the right one. Those of its group are
// right, too.
func rankOf(asked []float32, there [][]float32, held []pair, right int) (rank int) {
	wanted := dot(asked, there[right])
	for j := range there {
		if held[j].group != held[right].group && dot(asked, there[j]) >= wanted {
			rank++
		}
	}
	return rank
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
