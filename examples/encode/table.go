package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/unum-cloud/uform-go/uform"
)

// samples are encoded without input: three pairs of texts that mean about the same and share almost
// no word, and one without a partner.
var samples = []string{
	"a man is playing the guitar",
	"someone makes music on an instrument",
	"share prices are falling",
	"stocks lost much of their value",
	"I forgot my password",
	"how can I log in to my account?",
	"Katzen schlafen gern in der Sonne",
}

// table prints the cosine of every two samples.
func table(ctx context.Context, model *uform.Model, stdout io.Writer) error {
	vectors, err := model.Embed(ctx, samples)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(stdout)
	width := 0
	for _, text := range samples {
		width = max(width, len(text))
	}
	fmt.Fprintf(out, "   %-*s", width, "cosine of")
	for i := range samples {
		fmt.Fprintf(out, "%6d", i+1)
	}
	fmt.Fprintln(out)
	for i, text := range samples {
		fmt.Fprintf(out, "%d  %-*s", i+1, width, text)
		for j := range samples {
			fmt.Fprintf(out, "%6.2f", cosine(vectors[i], vectors[j]))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// cosine returns the product of two embeddings of unit length.
func cosine(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
