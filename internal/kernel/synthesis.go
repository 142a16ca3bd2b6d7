package kernel

import (
	"math"
	"sync"
)

// Bank is the filter bank of MP3: it combines 32 subbands into one signal. The zero Bank has heard
// silence.
type Bank struct {
	// rows are the cosines of the last samples of the subbands, the newest first: those of this
	// granule, and fifteen before.
	rows    [(granule + 15) * bankRow]float32
	scratch [32 * 8]float32
}

const (
	granule = 18 // samples of each subband
	bankRow = 64
)

// Granule is 18 samples of each of 32 subbands, subband by subband, or the 576 samples that they
// become.
type Granule = [32 * granule]float32

// Synthesize writes what the bank makes of subbands to dst. The window is that of the standard, in
// the order of 32 values for the even and 32 for the odd rows of eight pairs; of a row, all but the
// first 16 values have the other sign here.
func (b *Bank) Synthesize(dst, subbands *Granule, window *[512]float32) {
	copy(b.rows[granule*bankRow:], b.rows[:])
	decoders().synthesize(b, dst, subbands, window)
}

// Combine sums rows of 24 values, of which there are as many as weights, by their weights.
func Combine(dst *[24]float32, rows, weights []float32) { decoders().combine(dst, rows, weights) }

// bankDivisors are those of the cosine transform, by level.
var bankDivisors = sync.OnceValue(func() *[5][16]float32 {
	divisors := new([5][16]float32)
	for level := range divisors {
		length := 32 >> level
		for i := range length / 2 {
			divisors[level][i] = float32(0.5 / math.Cos(math.Pi*(float64(i)+0.5)/float64(length)))
		}
	}
	return divisors
})

func synthesizePortable(b *Bank, dst, subbands *Granule, window *[512]float32) {
	divisors := bankDivisors()
	for sample := range granule {
		var in, cosines [32]float32
		for subband := range in {
			in[subband] = subbands[granule*subband+sample]
		}
		bankTransform(divisors, in[:], cosines[:], 0)
		rows := b.rows[(granule-1-sample)*bankRow:][:16*bankRow]
		// The 64 values of a row are cosines of the multiples 16 to 79, which repeat those below
		// 32.
		copy(rows, cosines[16:])
		rows[16] = 0
		for i := 17; i < 48; i++ {
			rows[i] = cosines[48-i]
		}
		copy(rows[48:], cosines[:16])

		out := (*[32]float32)(dst[32*sample:])
		clear(out[:])
		for i := range 8 {
			even, odd := rows[2*bankRow*i:][:32], rows[2*bankRow*i+96:][:32]
			part := window[64*i:][:64]
			for j := range out {
				out[j] += even[j]*part[j] + odd[j]*part[32+j]
			}
		}
	}
}

// bankTransform writes Σ in[k]·cos(π·i·(2k+1)/2n) for i = 0 … n−1, n = 32 >> level: it folds in
// into sums and differences, transforms both, and adds adjacent odd results.
func bankTransform(divisors *[5][16]float32, in, out []float32, level int) {
	n := len(in)
	if n == 1 {
		out[0] = in[0]
		return
	}
	var folded, results [32]float32
	half := n / 2
	for i := range half {
		a, b := in[i], in[n-1-i]
		folded[i] = a + b
		folded[half+i] = (a - b) * divisors[level][i]
	}
	bankTransform(divisors, folded[:half], results[:half], level+1)
	bankTransform(divisors, folded[half:n], results[half:n], level+1)
	for i := range half {
		out[2*i] = results[i]
		out[2*i+1] = results[half+i]
		if i < half-1 {
			out[2*i+1] += results[half+i+1]
		}
	}
}

func combinePortable(dst *[24]float32, rows, weights []float32) {
	const together = 6 // sums that stay in registers
	for i := 0; i < len(dst); i += together {
		var a, b, c, d, e, f float32
		for k, w := range weights {
			row := rows[len(dst)*k+i:][:together]
			a, b, c = a+w*row[0], b+w*row[1], c+w*row[2]
			d, e, f = d+w*row[3], e+w*row[4], f+w*row[5]
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3], dst[i+4], dst[i+5] = a, b, c, d, e, f
	}
}
