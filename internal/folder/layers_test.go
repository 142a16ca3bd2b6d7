package folder_test

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
)

var printsLayers = flag.Bool("layers", false, "print the table of docs/models.md of what I8 loses in each layer")

// layerLoss is what I8 loses in a layer of all-MiniLM-L6-v2, on the sentences of minilm.txt.
type layerLoss struct {
	apart [2][]int // inputs of the attention and of the feed-forward part that stay in f32
	// kept and rounded are the root of the mean square of the error of the layer's output, beside
	// that of the output: as the model is, and with all inputs rounded.
	kept, rounded float64
	alone         float64 // the least cosine to f32 where no other layer is in I8
}

// layersOfI8 measures the layers. plain is the model in I8 with all inputs rounded.
func layersOfI8(t *testing.T, whole, bytes, plain *folder.Model) []layerLoss {
	texts, _ := realTexts(t, "minilm.f32", int(whole.Describe().EmbeddingColumns))
	losses := make([]layerLoss, len(bytes.Apart()))
	squares := make([][3]float64, len(losses))
	for _, text := range texts {
		want, err := whole.LayerOutputs(text)
		require.NoError(t, err)
		for k, m := range []*folder.Model{bytes, plain} {
			got, err := m.LayerOutputs(text)
			require.NoError(t, err)
			for i := range want {
				require.Len(t, got[i], len(want[i]))
				for j, w := range want[i] {
					squares[i][k] += math.Pow(float64(w)-float64(got[i][j]), 2)
				}
			}
		}
		for i := range want {
			for _, w := range want[i] {
				squares[i][2] += float64(w) * float64(w)
			}
		}
	}
	exact := embed(t, whole, texts...)
	for i, apart := range bytes.Apart() {
		one, err := whole.WithLayerOf(bytes, i)
		require.NoError(t, err)
		losses[i] = layerLoss{apart, math.Sqrt(squares[i][0] / squares[i][2]), math.Sqrt(squares[i][1] / squares[i][2]),
			leastCosine(exact, embed(t, one, texts...), len(texts))}
	}
	return losses
}

// leastCosine is that of so many pairs of vectors.
func leastCosine(a, b []float32, count int) float64 {
	least, columns := 1.0, len(a)/count
	for i := range count {
		least = min(least, cosine(a[i*columns:][:columns], b[i*columns:][:columns]))
	}
	return least
}

// docs/models.md has what I8 loses in each layer. With -layers the test prints it.
func TestPageOfLayers(t *testing.T) {
	source := realFolder(t, "all-MiniLM-L6-v2")
	whole, err := folder.Open(source, nil)
	require.NoError(t, err)
	bytes, err := folder.Open(source, &folder.Options{Kind: abi.ScalarI8})
	require.NoError(t, err)
	plain, err := bytes.AllRounded()
	require.NoError(t, err)
	losses := layersOfI8(t, whole, bytes, plain)
	list := func(inputs []int) string { return strings.Trim(fmt.Sprint(inputs), "[]") }
	if *printsLayers {
		fmt.Print("| layer | in f32, of the attention | in f32, of the feed-forward part | error | without them | cosine alone |\n| --: | --- | --- | --: | --: | --: |\n")
		for i, l := range losses {
			fmt.Printf("| %d | %s | %s | %.1f %% | %.1f %% | %.4f |\n", i+1, list(l.apart[0]), list(l.apart[1]), 100*l.kept, 100*l.rounded, l.alone)
		}
		scores, pairs := development(t)
		texts := sentences(t)
		exact := embed(t, whole, texts...)
		for name, m := range map[string]*folder.Model{"f32": whole, "I8": bytes, "I8, all rounded": plain} {
			fmt.Printf("%s: STS %.4f, least cosine %.4f\n", name, similarity(t, m, scores, pairs), leastCosine(exact, embed(t, m, texts...), len(texts)))
		}
		return
	}
	rows := pageRows(t, "layer")
	require.Len(t, rows, len(losses))
	number := func(cell string) float64 {
		value, err := strconv.ParseFloat(strings.TrimSuffix(cell, " %"), 64)
		require.NoError(t, err)
		return value
	}
	for i, l := range losses {
		require.Equal(t, []string{fmt.Sprint(i + 1), list(l.apart[0]), list(l.apart[1])}, rows[i][:3])
		// Kernels of other processors add in another order.
		require.InEpsilon(t, number(rows[i][3]), 100*l.kept, .1)
		require.InEpsilon(t, number(rows[i][4]), 100*l.rounded, .1)
		require.InDelta(t, number(rows[i][5]), l.alone, .0005)
	}
}
