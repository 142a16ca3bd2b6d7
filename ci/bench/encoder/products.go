package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"github.com/ebitengine/purego"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/unum-cloud/uform-go/ci/bench/peak"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// product is a matrix product of a shape: the fractions of the peak of one thread that the
// competitors reach, in the order of productNames, and of two threads that f32 reaches.
type product struct {
	rows, outputs, inputs int
	fraction              []float64
	both                  float64
}

var productNames = []string{"f32", "bf16", "bytes", "OpenBLAS", "gonum", "GoMLX"}

var productShapes = []product{
	{rows: 16, outputs: 384, inputs: 384}, {rows: 64, outputs: 384, inputs: 384}, {rows: 64, outputs: 1536, inputs: 384}, {rows: 64, outputs: 384, inputs: 1536}, {rows: 256, outputs: 384, inputs: 384}, {rows: 256, outputs: 768, inputs: 768},
	{rows: 512, outputs: 1536, inputs: 384}, {rows: 512, outputs: 384, inputs: 1536},
}

// openBLAS opens OpenBLAS with one thread, and lets it detect the processor itself.
func openBLAS(library string) (handle uintptr, err error) {
	for name, value := range map[string]string{"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "", "OPENBLAS_L2_SIZE": ""} {
		if err := os.Setenv(name, value); err != nil {
			return 0, err
		}
	}
	return purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

// products measures the matrix products.
func products(library string, rounds int) ([]product, error) {
	handle, err := openBLAS(library)
	if err != nil {
		return nil, err
	}
	var sgemm func(order, transA, transB, m, n, k int32, alpha float32, a *float32, lda int32, b *float32, ldb int32, beta float32, c *float32, ldc int32)
	purego.RegisterLibFunc(&sgemm, handle, "cblas_sgemm")
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(count int) []float32 {
		values := make([]float32, count)
		for i := range values {
			values[i] = random.Float32() - 0.5
		}
		return values
	}
	var measured []product
	for _, p := range productShapes {
		fmt.Fprintf(os.Stderr, "product of %d × %d × %d\n", p.rows, p.outputs, p.inputs)
		m, n, k := p.rows, p.outputs, p.inputs
		w, x, dst := draw(n*k), draw(m*k), make([]float32, m*n)
		transposed := make([]float32, k*n)
		for j := range n {
			for i := range k {
				transposed[i*n+j] = w[j*k+i]
			}
		}
		line := func(output int, to []float32) { copy(to, w[output*k:]) }
		full, half, bytes := kernel.PackF32(n, k, line), kernel.PackBF16(n, k, line), kernel.PackInt8(n, k, line)
		var rounded kernel.Bytes
		foreign, product, err := gomlxProduct(x, w, m, n, k)
		if err != nil {
			return nil, err
		}
		theirs, err := product()
		if err != nil {
			return nil, err
		}
		full.Product(dst, n, x, k, m)
		for i, v := range theirs {
			if math.Abs(float64(v-dst[i])) > 1e-3 {
				return nil, fmt.Errorf("element %d is %v where GoMLX has %v", i, dst[i], v)
			}
		}
		var failed error
		var operations float64
		spent := alternate(1, rounds, 10*time.Millisecond, []func(){
			func() { full.Product(dst, n, x, k, m) },
			func() { half.Product(dst, n, x, k, m) },
			func() { rounded.Quantize(x, k, m, k); bytes.Product(dst, n, &rounded, m) },
			func() {
				sgemm(101, 111, 111, int32(m), int32(n), int32(k), 1, &x[0], int32(k), &transposed[0], int32(n), 0, &dst[0], int32(n))
			},
			func() {
				gonum.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x, k, transposed, n, 0, dst, n)
			},
			func() {
				if err := foreign(); err != nil {
					failed = err
				}
			},
			func() { operations = peak.Operations(20000) },
		})
		if failed != nil {
			return nil, failed
		}
		last := len(spent) - 1
		all, peakRate := 2*float64(m)*float64(n)*float64(k), operations/spent[last]
		for _, seconds := range spent[:last] {
			p.fraction = append(p.fraction, all/seconds/peakRate)
		}
		times := 1 + int(0.02*2*peakRate/all)
		spent = alternate(2, rounds, 10*time.Millisecond, []func(){
			func() {
				together(times, func(half int) { full.Product(dst[half*(m/2)*n:], n, x[half*(m/2)*k:], k, m/2) })
			},
			func() { together(1, func(int) { peak.Operations(200 * 20000) }) },
		})
		p.both = float64(times) * all / spent[0] / (2 * 200 * operations / spent[1])
		measured = append(measured, p)
	}
	return measured, nil
}

// together runs a function a number of times on two threads, which wait for each other after every
// run.
func together(times int, do func(half int)) {
	var done atomic.Int64
	work := func(half int) {
		for turn := range times {
			do(half)
			done.Add(1)
			for done.Load() < 2*int64(turn+1) {
			}
		}
	}
	go work(1)
	work(0)
}
