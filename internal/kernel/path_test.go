package kernel_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// eachPath runs a test once for every path of this machine.
func eachPath(t *testing.T, test func(t *testing.T)) {
	for _, path := range kernel.Paths() {
		t.Run(path, func(t *testing.T) {
			defer kernel.Force(path)()
			require.Equal(t, path, kernel.Path())
			test(t)
		})
	}
}

// The log says which paths this machine's tests cover, since paths that the processor lacks have no
// test there.
func TestPathsThatRunHere(t *testing.T) {
	known := map[string][]string{"amd64": {"avx512", "avx2", "portable"}, "arm64": {"neon", "portable"}}[runtime.GOARCH]
	if known == nil {
		known = []string{"portable"}
	}
	there := kernel.Paths()
	require.Subset(t, known, there)
	require.Equal(t, "portable", there[len(there)-1], "the last resort is always there")
	for _, path := range known {
		if slices.Contains(there, path) {
			t.Logf("path %s: tested", path)
		} else {
			t.Logf("path %s: NOT tested, this processor lacks it", path)
		}
	}
}

func TestEnvironmentChoosesAmongThePathsThereAre(t *testing.T) {
	for _, example := range []struct {
		named     string
		available []string
		want      string
	}{
		{"", []string{"avx2", "portable"}, "avx2"},
		{"", []string{"portable"}, "portable"},
		{"portable", []string{"avx2", "portable"}, "portable"},
		{"avx2", []string{"avx2", "portable"}, "avx2"},
		{"avx2", []string{"portable"}, "portable"},
		{"undecided", []string{"avx2", "portable"}, "avx2"},
		{"AVX2 ", []string{"avx2", "portable"}, "avx2"},
	} {
		require.Equal(t, example.want, kernel.Choose(example.named, example.available...), "%q of %v", example.named, example.available)
	}
	require.Equal(t, kernel.Choose(os.Getenv("UFORM_KERNEL"), kernel.Paths()...), kernel.Path(), "this process")
}

// The paths round differently, but each within the bound of its own test, so they agree within the
// sum of both bounds.
func TestPathsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 1))
	const outputs, inputs, rows = 45, 790, 11
	w, x := randomFloats(random, outputs*inputs), randomFloats(random, rows*inputs)
	rounded := make([]float32, len(w))
	kernel.FromBF16(rounded, halves(w))
	for _, packed := range []*kernel.Packed{
		kernel.PackF32(outputs, inputs, rowsOf(rounded, inputs)), kernel.PackBF16(outputs, inputs, rowsOf(rounded, inputs)),
	} {
		_, scales := product64(x, rounded, rows, outputs, inputs)
		var first []float32
		for _, path := range kernel.Paths() {
			restore := kernel.Force(path)
			got := make([]float32, rows*outputs)
			packed.Product(got, outputs, x, inputs, rows)
			restore()
			if first == nil {
				first = got
			}
			for i := range got {
				require.InDelta(t, float64(first[i]), float64(got[i]), scales[i]*2*(inputs+2)*0x1p-24, "%s, element %d", path, i)
			}
		}
	}
}

func TestPathsAgreeOnRows(t *testing.T) {
	random := rand.New(rand.NewPCG(24, 1))
	const n = 205
	start, x := randomFloats(random, n), randomFloats(random, n)
	bytes := make([]byte, n)
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	gather := kernel.Gather{Table: kernel.Int4{Bytes: bytes, Scales: []float32{0.037}}, Rows: []uint32{0, 0, 0}, Ends: []int{3}}
	cos, sin := make([]float32, 100), make([]float32, 100)
	for i := range cos {
		sine, cosine := math.Sincos(random.Float64())
		sin[i], cos[i] = float32(sine), float32(cosine)
	}
	for _, routine := range []struct {
		name  string
		run   func(dst []float32)
		bound float64 // 0 where every path rounds in the same way
	}{
		{"Dot", func(dst []float32) { dst[0] = kernel.Dot(dst, x) }, 1e-4},
		{"Add", func(dst []float32) { kernel.Add(dst, x) }, 0},
		{"Multiply", func(dst []float32) { kernel.Multiply(dst, x) }, 0},
		{"AddF16", func(dst []float32) { kernel.AddF16(dst, halves(x)) }, 0},
		{"AddBF16", func(dst []float32) { kernel.AddBF16(dst, halves(x)) }, 0},
		{"FromF16", func(dst []float32) { kernel.FromF16(dst, halves(x)) }, 0},
		{"FromBF16", func(dst []float32) { kernel.FromBF16(dst, halves(x)) }, 0},
		{"AddInt8", func(dst []float32) { kernel.AddInt8(dst, bytes, 0.037) }, 1e-6},
		{"AddInt4", func(dst []float32) { kernel.AddInt4(dst, bytes[:(n+1)/2], 0.037) }, 1e-6},
		{"GatherInt4", func(dst []float32) { kernel.GatherInt4(dst, n, &gather) }, 1e-6},
		{"AddSigns", func(dst []float32) { kernel.AddSigns(dst[:192], []uint64{0xFEDCBA9876543210, 1}, []float32{0.3, 0.7}) }, 0},
		{"RMSNorm", func(dst []float32) { kernel.RMSNorm(dst, x, start, 1e-6) }, 1e-6},
		{"LayerNorm", func(dst []float32) { kernel.LayerNorm(dst, x, start, x, 1e-5) }, 1e-6},
		{"Rotate", func(dst []float32) { kernel.Rotate(dst[:2*len(cos)], cos, sin) }, 1e-6},
		{"Softmax", func(dst []float32) { kernel.Softmax(dst, 3) }, 1e-6},
		{"SiLU", kernel.SiLU, 1e-6},
		{"GELU", kernel.GELU, 1e-6},
		{"GELUTanh", kernel.GELUTanh, 1e-6},
		{"QuickGELU", kernel.QuickGELU, 1e-6},
		{"ReLU", kernel.ReLU, 0},
	} {
		var first []float32
		for _, path := range kernel.Paths() {
			restore := kernel.Force(path)
			got := append([]float32{}, start...)
			routine.run(got)
			restore()
			if first == nil {
				first = got
			}
			for i := range got {
				require.InDelta(t, float64(first[i]), float64(got[i]), routine.bound, "%s on %s, element %d", routine.name, path, i)
			}
		}
	}
}

// With weights that fit both, full and half precision give the same product, bit for bit, on each
// path.
func TestProductOfBF16HasTheBitsOfF32(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(22, 1))
		const outputs, inputs, rows = 35, 390, 13
		w, x := make([]float32, outputs*inputs), randomFloats(random, rows*inputs)
		kernel.FromBF16(w, halves(randomFloats(random, len(w))))
		want, got := make([]float32, rows*outputs), make([]float32, rows*outputs)
		kernel.PackF32(outputs, inputs, rowsOf(w, inputs)).Product(want, outputs, x, inputs, rows)
		kernel.PackBF16(outputs, inputs, rowsOf(w, inputs)).Product(got, outputs, x, inputs, rows)
		require.Equal(t, want, got)
	})
}

// The neighbours of an element and their number do not affect element-wise functions.
func TestElementsHaveTheSameBitsAnywhere(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(23, 1))
		x, start := randomFloats(random, 40), randomFloats(random, 40)
		bytes, nibbles := make([]byte, 40), make([]byte, 20)
		for i := range bytes {
			bytes[i] = byte(random.Uint32())
		}
		for i := range nibbles {
			nibbles[i] = byte(random.Uint32())
		}
		for name, run := range map[string]func(dst []float32, from int){
			"SiLU":      func(dst []float32, _ int) { kernel.SiLU(dst) },
			"GELU":      func(dst []float32, _ int) { kernel.GELU(dst) },
			"GELUTanh":  func(dst []float32, _ int) { kernel.GELUTanh(dst) },
			"QuickGELU": func(dst []float32, _ int) { kernel.QuickGELU(dst) },
			"ReLU":      func(dst []float32, _ int) { kernel.ReLU(dst) },
			"Add":       func(dst []float32, from int) { kernel.Add(dst, x[from:][:len(dst)]) },
			"Multiply":  func(dst []float32, from int) { kernel.Multiply(dst, x[from:][:len(dst)]) },
			"AddF16":    func(dst []float32, from int) { kernel.AddF16(dst, halves(x)[from:][:len(dst)]) },
			"AddBF16":   func(dst []float32, from int) { kernel.AddBF16(dst, halves(x)[from:][:len(dst)]) },
			"FromF16":   func(dst []float32, from int) { kernel.FromF16(dst, halves(x)[from:][:len(dst)]) },
			"FromBF16":  func(dst []float32, from int) { kernel.FromBF16(dst, halves(x)[from:][:len(dst)]) },
			"AddInt8":   func(dst []float32, from int) { kernel.AddInt8(dst, bytes[from:][:len(dst)], 0.037) },
			"AddInt4":   func(dst []float32, from int) { kernel.AddInt4(dst, nibbles[from/2:][:(len(dst)+1)/2], 0.037) },
		} {
			all := append([]float32{}, start...)
			run(all, 0)
			for from := 0; from < len(all); from += 2 {
				for to := from + 1; to <= len(all); to++ {
					got := append([]float32{}, start[from:to]...)
					run(got, from)
					require.Equal(t, all[from:to], got, "%s of %d to %d", name, from, to)
				}
			}
		}
	})
}

func TestShortSlicesPanic(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		packed := kernel.PackF32(20, 9, func(int, []float32) {})
		for name, call := range map[string]func(){
			"dst":       func() { packed.Product(make([]float32, 3*20-1), 20, make([]float32, 3*9), 9, 3) },
			"x":         func() { packed.Product(make([]float32, 3*20), 20, make([]float32, 3*9-1), 9, 3) },
			"Dot":       func() { kernel.Dot(make([]float32, 17), make([]float32, 16)) },
			"Add":       func() { kernel.Add(make([]float32, 16), make([]float32, 17)) },
			"Multiply":  func() { kernel.Multiply(make([]float32, 16), make([]float32, 17)) },
			"AddF16":    func() { kernel.AddF16(make([]float32, 16), make([]uint16, 17)) },
			"AddBF16":   func() { kernel.AddBF16(make([]float32, 16), make([]uint16, 17)) },
			"FromF16":   func() { kernel.FromF16(make([]float32, 16), make([]uint16, 17)) },
			"FromBF16":  func() { kernel.FromBF16(make([]float32, 16), make([]uint16, 17)) },
			"AddInt8":   func() { kernel.AddInt8(make([]float32, 16), make([]byte, 17), 1) },
			"AddInt4":   func() { kernel.AddInt4(make([]float32, 17), make([]byte, 8), 1) },
			"RMSNorm":   func() { kernel.RMSNorm(make([]float32, 16), make([]float32, 17), make([]float32, 17), 1) },
			"gain":      func() { kernel.RMSNorm(make([]float32, 17), make([]float32, 17), make([]float32, 16), 1) },
			"LayerNorm": func() { kernel.LayerNorm(make([]float32, 16), make([]float32, 17), nil, nil, 1) },
			"its gain":  func() { kernel.LayerNorm(make([]float32, 17), make([]float32, 17), make([]float32, 16), nil, 1) },
			"its bias":  func() { kernel.LayerNorm(make([]float32, 17), make([]float32, 17), nil, make([]float32, 16), 1) },
			"Rotate":    func() { kernel.Rotate(make([]float32, 33), make([]float32, 17), make([]float32, 17)) },
			"sin":       func() { kernel.Rotate(make([]float32, 34), make([]float32, 17), make([]float32, 16)) },
		} {
			// An exact capacity: slicing may access memory between a slice's length and its
			// capacity.
			require.Panics(t, call, name)
		}
	})
}

func TestNaNReachesTheResult(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		nan := float32(math.NaN())
		for _, at := range []int{0, 5, 8, 16, 18} {
			x := make([]float32, 19)
			x[at] = nan
			kernel.Softmax(x, 1)
			for _, v := range x {
				require.True(t, v != v, "Softmax of a NaN at %d", at)
			}
			x = make([]float32, 19)
			x[at] = nan
			kernel.SiLU(x)
			for i, v := range x {
				require.Equal(t, i == at, v != v, "SiLU of a NaN at %d", at)
			}
		}
	})
}

func halves(x []float32) []uint16 {
	rounded := make([]uint16, len(x))
	kernel.ToBF16(rounded, x)
	return rounded
}
