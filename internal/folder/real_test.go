package folder_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
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
					least = min(least, cosine(want[i*columns:][:columns], got[i*columns:][:columns]))
				}
				t.Logf("the least cosine of %d is %.6f", len(texts), least)
				require.GreaterOrEqual(t, least, nearest)
			})
		}
	}
}

// sentences returns every 143rd of the sentences that stand beside the repository: a thousand. A
// test without them is skipped.
func sentences(t *testing.T) (list []string) {
	path := filepath.Join("..", "..", "..", "shared", "data", "sentences.txt.xz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("left out: the sentences do not stand beside the repository")
	}
	text, err := exec.Command("xz", "--decompress", "--stdout", path).Output()
	if err != nil {
		t.Skipf("left out: xz: %v", err)
	}
	at := 0
	for line := range strings.Lines(string(text)) {
		if at%143 == 0 && len(list) < 1000 {
			list = append(list, strings.TrimSuffix(line, "\n"))
		}
		at++
	}
	require.Len(t, list, 1000)
	return list
}

// projections are the numbers that a vector is told from another by.
const projections = 4

// project returns the products of a vector with the directions of testdata/real.py.
func project(vector []float32) (products [projections]float64) {
	uniform := func(index int) float64 {
		z := uint64(index+1) * 0x9E3779B97F4A7C15
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return float64((z^z>>31)>>12|1) / (1 << 52)
	}
	for row := range products {
		for c, v := range vector {
			i := row*len(vector) + c
			products[row] += float64(v) * math.Sqrt(-2*math.Log(uniform(2*i))) * math.Cos(2*math.Pi*uniform(2*i+1))
		}
	}
	return products
}

// cosine is that of two vectors.
func cosine(a, b []float32) float64 {
	var product, left, right float64
	for i := range a {
		product += float64(a[i]) * float64(b[i])
		left += float64(a[i]) * float64(a[i])
		right += float64(b[i]) * float64(b[i])
	}
	return product / math.Sqrt(left*right)
}

// Each of a thousand sentences has the reference's vector in f32, and one near it in I8.
//
// Of each of the reference's vectors, testdata has the products with four directions of normal
// numbers, which take 16 kB where the vectors take 1.5 MB. They suffice: two vectors of unit length
// whose cosine is under .99999 are at least d = √.00002 = .0045 apart, so that the differences of
// their products, divided by d or more, are normal numbers. Their root mean square is e or less
// only where a sum of four squares of normal numbers is at most x = 4 (e/d)², which has a
// probability below x²/8: below 1e-9 for the e of this test, .00002. Rounding to 32 bits leaves
// .000002. The vectors in I8, whose least cosine is .9958, are all told apart.
func TestRealSentences(t *testing.T) {
	source := realFolder(t, "all-MiniLM-L6-v2")
	texts := sentences(t)
	data, err := os.ReadFile(filepath.Join("testdata", "minilm-projected.f32"))
	require.NoError(t, err)
	require.Len(t, data, 4*projections*len(texts))
	whole, err := folder.Open(source, nil)
	require.NoError(t, err)
	columns := int(whole.Describe().EmbeddingColumns)
	exact := embed(t, whole, texts...)
	// off is how far the products of a vector are from those of the reference's.
	off := func(i int, vector []float32) float64 {
		sum := 0.0
		for j, product := range project(vector) {
			want := math.Float32frombits(binary.LittleEndian.Uint32(data[4*(i*projections+j):]))
			sum += (product - float64(want)) * (product - float64(want))
		}
		return math.Sqrt(sum / projections)
	}
	const near = .00002
	var furthest float64
	for i, text := range texts {
		vector, length := exact[i*columns:][:columns], 0.0
		for _, v := range vector {
			length += float64(v) * float64(v)
		}
		require.InDelta(t, 1, length, 1e-6, text)
		furthest = max(furthest, off(i, vector))
		require.Less(t, off(i, vector), near, text)
	}
	t.Logf("f32: the products are within %.1g", furthest)

	rounded, err := folder.Open(source, &folder.Options{Kind: abi.ScalarI8})
	require.NoError(t, err)
	least, sum := 1.0, 0.0
	got := embed(t, rounded, texts...)
	for i, text := range texts {
		vector := got[i*columns:][:columns]
		require.Greater(t, off(i, vector), near, "nothing is told apart")
		c := cosine(exact[i*columns:][:columns], vector)
		require.GreaterOrEqual(t, c, .99, text)
		least, sum = min(least, c), sum+c
	}
	t.Logf("I8: the least cosine is %.4f, the mean %.4f", least, sum/float64(len(texts)))
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
