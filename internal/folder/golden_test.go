package folder_test

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
)

// goldenFolder reads a folder of testdata.
func goldenFolder(t testing.TB, name string) (fstest.MapFS, *foldertest.Golden) {
	return foldertest.Read(t, "testdata", name)
}

// distance is the largest difference between two vectors, beside the largest scalar.
func distance(t testing.TB, want, got []float32) float64 {
	require.Len(t, got, len(want))
	var largest, scale float64
	for i := range want {
		largest = max(largest, math.Abs(float64(want[i])-float64(got[i])))
		scale = max(scale, math.Abs(float64(want[i])))
	}
	if math.IsNaN(largest) {
		return largest
	}
	return largest / max(scale, 1)
}

func TestGolden(t *testing.T) {
	for _, name := range foldertest.Names(t, "testdata") {
		t.Run(name, func(t *testing.T) {
			files, g := goldenFolder(t, name)
			if len(g.Cases) == 0 {
				require.NotEmpty(t, g.Pictures)
				return // a model of pictures alone
			}
			m, err := folder.Open(folder.Files(files), nil)
			require.NoError(t, err)
			columns, width := int(m.Describe().EmbeddingColumns), int(m.Describe().StateColumns)
			var s folder.Scratch
			var all []int32
			var lengths []int
			var worst float64
			const tolerance = 1e-5
			singles := make([][]float32, len(g.Cases))
			for i, c := range g.Cases {
				ids, covered, err := m.Tokenize(&s, nil, []byte(c.Text), c.Prompt)
				require.NoError(t, err)
				require.Equal(t, append([]int32{}, c.IDs...), append([]int32{}, ids...), "%q", c.Text)
				switch {
				case c.End != nil:
					require.Equal(t, *c.End, covered, "%q", c.Text)
				case !strings.HasPrefix(name, "model2vec"): // whose reference does not say what it cuts
					require.Equal(t, len(c.Text), covered, "%q", c.Text)
				}
				singles[i] = make([]float32, columns)
				require.NoError(t, m.Encode(&s, folder.Batch{IDs: ids, Lengths: []int{len(ids)}, Prompt: c.Prompt}, singles[i], nil, nil))
				worst = max(worst, distance(t, c.Embedding, singles[i]))
				require.LessOrEqual(t, distance(t, c.Embedding, singles[i]), tolerance, "%q", c.Text)
				if c.Prompt == g.Cases[0].Prompt {
					all, lengths = append(all, ids...), append(lengths, len(ids))
				}
			}
			states := make([]float32, len(all)*width)
			embeddings := make([]float32, len(lengths)*columns)
			require.NoError(t, m.Encode(&s, folder.Batch{IDs: all, Lengths: lengths, Prompt: g.Cases[0].Prompt}, embeddings, states, nil))
			starts := map[int]int{}
			at, row := 0, 0
			for i, c := range g.Cases {
				if c.Prompt != g.Cases[0].Prompt {
					continue
				}
				require.Equal(t, singles[i], embeddings[at*columns:][:columns], "text %d is not the same in a batch", i)
				starts[i] = row
				row += lengths[at]
				at++
			}
			for _, want := range g.States {
				for i, row := range want.Rows {
					got := states[(starts[want.Case]+row)*width:][:width]
					off := distance(t, want.Values[i*width:][:width], got)
					worst = max(worst, off)
					require.LessOrEqual(t, off, tolerance, "row %d of text %d", row, want.Case)
				}
			}
			t.Logf("%d texts, %.1g", len(g.Cases), worst)
		})
	}
}
