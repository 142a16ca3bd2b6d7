package sound

import (
	"math"
	"sync"
)

// hybridFilter turns the spectrum of each subband into 18 samples, half of which overlap with those
// of the granule before.
type hybridFilter struct {
	overlap [32][18]float32
}

// hybridTables are the kernels of the transforms, with their windows.
type hybridTables struct {
	// cosines produce 18 values, the outputs 9 … 17 and 18 … 26; the others are their mirror
	// images.
	cosines [18][18]float32
	short   [12][6]float32 // with the window
	windows [4][36]float32
}

var hybridTable = sync.OnceValue(func() *hybridTables {
	t := new(hybridTables)
	for i := range t.cosines {
		for k := range 18 {
			t.cosines[i][k] = float32(math.Cos(math.Pi / 72 * float64((2*(i+9)+19)*(2*k+1))))
		}
	}
	sine := func(i, length int) float64 { return math.Sin(math.Pi / float64(length) * (float64(i) + 0.5)) }
	for i := range t.short {
		for k := range 6 {
			t.short[i][k] = float32(sine(i, 12) * math.Cos(math.Pi/24*float64((2*i+7)*(2*k+1))))
		}
	}
	for i := range 36 {
		start, stop := 1.0, 1.0
		switch {
		case i >= 30:
			start = 0
		case i >= 24:
			start = sine(i-18, 12)
		case i < 18:
			start = sine(i, 36)
		}
		switch {
		case i < 6:
			stop = 0
		case i < 12:
			stop = sine(i-6, 12)
		case i >= 18:
			stop = sine(i, 36)
		}
		t.windows[0][i] = float32(sine(i, 36))
		t.windows[1][i], t.windows[3][i] = float32(start), float32(stop)
	}
	return t
})

// run replaces the spectrum of c by the samples of its subbands. Every second sample of the odd
// subbands has its sign changed, since the filter bank mirrors them.
func (h *hybridFilter) run(c *mpegChannel) {
	t := hybridTable()
	for subband := range 32 {
		values := (*[18]float32)(c.spectrum[18*subband:])
		overlap := &h.overlap[subband]
		if 18*subband >= c.filled {
			*values, *overlap = *overlap, [18]float32{}
		} else {
			block := c.side.block
			if c.side.mixed && subband < 2 {
				block = 0
			}
			if block == 2 {
				t.three(values, overlap)
			} else {
				t.one(values, overlap, &t.windows[block])
			}
		}
		if subband%2 == 1 {
			for i := 1; i < 18; i += 2 {
				values[i] = -values[i]
			}
		}
	}
	c.filled = 576
}

// one transforms a block of 18 values into 36 samples.
func (t *hybridTables) one(values, overlap *[18]float32, window *[36]float32) {
	var half [18]float32
	for i := range half {
		row := &t.cosines[i]
		var even, odd float32
		for k := 0; k < 18; k += 2 {
			even += row[k] * values[k]
			odd += row[k+1] * values[k+1]
		}
		half[i] = even + odd
	}
	for i := range 9 {
		values[i] = overlap[i] - half[8-i]*window[i]
		values[9+i] = overlap[9+i] + half[i]*window[9+i]
		overlap[i] = half[9+i] * window[18+i]
		overlap[9+i] = half[17-i] * window[27+i]
	}
}

// three transforms three blocks of 6 values, which alternate, into 12 samples each. They lie 6
// samples apart in the middle of the 36.
func (t *hybridTables) three(values, overlap *[18]float32) {
	var sum [36]float32
	for block := range 3 {
		for i := range t.short {
			row := &t.short[i]
			var s float32
			for k := range 6 {
				s += row[k] * values[block+3*k]
			}
			sum[6+6*block+i] += s
		}
	}
	for i := range 18 {
		values[i] = overlap[i] + sum[i]
		overlap[i] = sum[18+i]
	}
}

// synthesisBank combines 32 subbands into one signal.
type synthesisBank struct {
	past  [1024]float32 // 16 vectors of 64, the newest at start
	start int
}

// bankTables are the window, and the divisors of the cosine transform.
type bankTables struct {
	window   [512]float32
	divisors [5][16]float32
}

var bankTable = sync.OnceValue(func() *bankTables {
	t := new(bankTables)
	for i := range t.window {
		if i <= 256 {
			t.window[i] = float32(synthesisWindow[i]) / (1 << 16)
		} else if mirrored := float32(synthesisWindow[512-i]) / (1 << 16); i%64 == 0 {
			t.window[i] = mirrored
		} else {
			t.window[i] = -mirrored
		}
	}
	for level := range t.divisors {
		length := 32 >> level
		for i := range length / 2 {
			t.divisors[level][i] = float32(0.5 / math.Cos(math.Pi*(float64(i)+0.5)/float64(length)))
		}
	}
	return t
})

// run appends 576 samples, made of 18 values of each subband. The input is ordered by subband.
func (b *synthesisBank) run(dst []float32, subbands *[576]float32) []float32 {
	t := bankTable()
	for sample := range 18 {
		var in, cosines [32]float32
		for subband := range in {
			in[subband] = subbands[18*subband+sample]
		}
		t.transform(in[:], cosines[:], 0)
		b.start = (b.start - 64) & 1023
		newest := b.past[b.start:][:64]
		// The 64 values of the vector are cosines of the multiples 16 to 79, which repeat those
		// below 32.
		for i := range 16 {
			newest[i] = cosines[16+i]
			newest[48+i] = -cosines[i]
		}
		newest[16] = 0
		for i := 17; i < 48; i++ {
			newest[i] = -cosines[48-i]
		}
		dst = t.windowed(dst, b)
	}
	return dst
}

// windowed appends the 32 samples that the newest vector completes.
func (t *bankTables) windowed(dst []float32, b *synthesisBank) []float32 {
	var out [32]float32
	for i := range 8 {
		even := b.past[(b.start+128*i)&1023:][:32]
		odd := b.past[(b.start+128*i+96)&1023:][:32]
		window := t.window[64*i:][:64]
		for j := range out {
			out[j] += even[j]*window[j] + odd[j]*window[32+j]
		}
	}
	return append(dst, out[:]...)
}

// transform writes Σ in[k]·cos(π·i·(2k+1)/2n) for i = 0 … n−1, n = 32 >> level. It overwrites in:
// it folds in into sums and differences, transforms both, and adds adjacent odd results.
func (t *bankTables) transform(in, out []float32, level int) {
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
		folded[half+i] = (a - b) * t.divisors[level][i]
	}
	t.transform(folded[:half], results[:half], level+1)
	t.transform(folded[half:n], results[half:n], level+1)
	for i := range half {
		out[2*i] = results[i]
		out[2*i+1] = results[half+i]
		if i < half-1 {
			out[2*i+1] += results[half+i+1]
		}
	}
}
