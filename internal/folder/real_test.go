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

// The real all-MiniLM-L6-v2 gives the vectors of the reference; testdata/minilm.py computed them.
func TestRealMiniLM(t *testing.T) {
	source := realFolder(t, "all-MiniLM-L6-v2")
	lines, err := os.ReadFile(filepath.Join("testdata", "minilm.txt"))
	require.NoError(t, err)
	texts := strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n")
	data, err := os.ReadFile(filepath.Join("testdata", "minilm.f32"))
	require.NoError(t, err)
	want := make([]float32, len(data)/4)
	for i := range want {
		want[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	for kind, nearest := range map[abi.Scalar]float64{abi.ScalarUnknown: .999999, abi.ScalarBF16: .9999, abi.ScalarI8: .996} {
		t.Run(kind.String(), func(t *testing.T) {
			m, err := folder.Open(source, &folder.Options{Kind: kind})
			require.NoError(t, err)
			columns := int(m.Describe().EmbeddingColumns)
			require.Len(t, want, len(texts)*columns)
			got := embed(t, m, texts...)
			if kind == abi.ScalarUnknown {
				require.LessOrEqual(t, distance(t, want, got), 1e-6)
			}
			least := 1.0
			for i := range texts {
				var cosine float64
				for c := i * columns; c < (i+1)*columns; c++ {
					cosine += float64(want[c]) * float64(got[c])
				}
				least = min(least, cosine)
			}
			t.Logf("the least cosine of %d is %.6f", len(texts), least)
			require.GreaterOrEqual(t, least, nearest)
		})
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
					require.NoError(b, m.Encode(&s, ids, lengths, "", embeddings, nil, nil))
				}
			})
		}
	}
}
