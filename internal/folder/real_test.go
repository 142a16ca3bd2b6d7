package folder_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
)

// realFolder is where ci/models.sh puts a model of other people. A test without it is skipped.
func realFolder(t testing.TB, name string) folder.Source {
	root := os.Getenv("UFORM_MODELS")
	if root == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		root = filepath.Join(cache, "uform-models")
	}
	root = filepath.Join(root, name)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("%v: ci/models.sh fetches it", err)
	}
	return folder.Files(os.DirFS(root))
}

// realTexts are the sentences that testdata/real.py computed with, and its vectors: of all of them,
// or of some at equal distances.
func realTexts(t testing.TB, vectors string, columns int) (texts []string, want []float32) {
	lines, err := os.ReadFile(filepath.Join("testdata", "minilm.txt"))
	require.NoError(t, err)
	all := strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n")
	data, err := os.ReadFile(filepath.Join("testdata", vectors))
	require.NoError(t, err)
	want = make([]float32, len(data)/4)
	for i := range want {
		want[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	count := len(want) / columns
	require.Len(t, want, count*columns)
	for i := range count {
		texts = append(texts, all[i*(len(all)/count)])
	}
	return texts, want
}

// Real models give the vectors of the references.
func TestRealModels(t *testing.T) {
	for _, c := range []struct {
		name, vectors string
		bytes         bool // whether it has layers, which can be loaded as bytes
	}{
		{"all-MiniLM-L6-v2", "minilm.f32", true},
		{"all-mpnet-base-v2", "mpnet.f32", true},
		{"wordllama", "wordllama.f32", false},
	} {
		for kind, nearest := range map[abi.Scalar]float64{abi.ScalarUnknown: .999999, abi.ScalarBF16: .9999, abi.ScalarI8: .99} {
			if kind != abi.ScalarUnknown && !c.bytes {
				continue
			}
			t.Run(c.name+"/"+kind.String(), func(t *testing.T) {
				m, err := folder.Open(realFolder(t, c.name), &folder.Options{Kind: kind})
				require.NoError(t, err)
				columns := int(m.Describe().EmbeddingColumns)
				texts, want := realTexts(t, c.vectors, columns)
				got := embed(t, m, texts...)
				if kind == abi.ScalarUnknown {
					require.LessOrEqual(t, distance(t, want, got), 1e-6)
				}
				least := 1.0
				for i := range texts {
					var product, left, right float64
					for c := i * columns; c < (i+1)*columns; c++ {
						product += float64(want[c]) * float64(got[c])
						left += float64(want[c]) * float64(want[c])
						right += float64(got[c]) * float64(got[c])
					}
					least = min(least, product/math.Sqrt(left*right))
				}
				t.Logf("the least cosine of %d is %.6f", len(texts), least)
				require.GreaterOrEqual(t, least, nearest)
			})
		}
	}
}

func BenchmarkOpenMiniLM(b *testing.B) {
	source := realFolder(b, "all-MiniLM-L6-v2")
	for b.Loop() {
		_, err := folder.Open(source, nil)
		require.NoError(b, err)
	}
}

// BenchmarkMiniLM encodes texts of so many tokens.
func BenchmarkMiniLM(b *testing.B) {
	source := realFolder(b, "all-MiniLM-L6-v2")
	for _, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarI8} {
		m, err := folder.Open(source, &folder.Options{Kind: kind})
		require.NoError(b, err)
		for _, load := range [][2]int{{1, 16}, {1, 64}, {1, 256}, {32, 64}} {
			b.Run(fmt.Sprintf("%v/%d×%d", kind, load[0], load[1]), func(b *testing.B) {
				text := []byte(strings.Repeat("the ", load[1]-2))
				embeddings := make([]float32, load[0]*int(m.Describe().EmbeddingColumns))
				var s folder.Scratch
				var ids []int32
				var lengths []int
				for b.Loop() {
					ids, lengths = ids[:0], lengths[:0]
					for range load[0] {
						before := len(ids)
						ids, _, err = m.Tokenize(&s, ids, text, "")
						require.NoError(b, err)
						lengths = append(lengths, len(ids)-before)
					}
					require.NoError(b, m.Encode(&s, folder.Batch{IDs: ids, Lengths: lengths}, embeddings, nil, nil))
				}
			})
		}
	}
}
