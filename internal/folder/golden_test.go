package folder_test

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/folder"
)

// golden is what a reference says of a folder; testdata/golden.py explains it.
type golden struct {
	Base    string
	Without []string
	Cases   []struct {
		Text      string
		Prompt    string
		IDs       []int32
		Embedding []float32
		End       *int
	}
	States []struct {
		Case   int
		Rows   []int
		Values []float32
	}
}

// goldenFolder reads a folder of testdata.
func goldenFolder(t testing.TB, name string) (fstest.MapFS, *golden) {
	files := fstest.MapFS{}
	root := os.DirFS(filepath.Join("testdata", name))
	text, err := fs.ReadFile(root, "golden.json")
	require.NoError(t, err)
	var g golden
	require.NoError(t, json.Unmarshal(text, &g))
	if g.Base != "" {
		files, _ = goldenFolder(t, g.Base)
		for _, file := range g.Without {
			require.Contains(t, files, file)
			delete(files, file)
		}
	}
	require.NoError(t, fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	}))
	return files, &g
}

// goldenNames are the folders of testdata.
func goldenNames(t testing.TB) (names []string) {
	found, err := filepath.Glob(filepath.Join("testdata", "*", "golden.json"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, path := range found {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	return names
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
	for _, name := range goldenNames(t) {
		t.Run(name, func(t *testing.T) {
			files, g := goldenFolder(t, name)
			m, err := folder.Open(folder.Files(files), nil)
			require.NoError(t, err)
			columns, width := int(m.Describe().EmbeddingColumns), int(m.Describe().StateColumns)
			var s folder.Scratch
			var all []int32
			var lengths []int
			var worst float64
			tolerance := 1e-5
			if name == "model2vec-f16" {
				tolerance = 1e-3 // the reference rounds its sums to f16
			}
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
				require.NoError(t, m.Encode(&s, ids, []int{len(ids)}, c.Prompt, singles[i], nil, nil))
				worst = max(worst, distance(t, c.Embedding, singles[i]))
				require.LessOrEqual(t, distance(t, c.Embedding, singles[i]), tolerance, "%q", c.Text)
				if c.Prompt == g.Cases[0].Prompt {
					all, lengths = append(all, ids...), append(lengths, len(ids))
				}
			}
			states := make([]float32, len(all)*width)
			embeddings := make([]float32, len(lengths)*columns)
			require.NoError(t, m.Encode(&s, all, lengths, g.Cases[0].Prompt, embeddings, states, nil))
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
