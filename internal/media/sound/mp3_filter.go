package sound

import (
	"math"
	"sync"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// hybridFilter turns the spectrum of each subband into 18 samples, half of which overlap with those
// of the granule before.
type hybridFilter struct {
	overlap [32][18]float32
	half    [24]float32 // half of a transform
}

// hybridTables are the kernels of the transforms, with their windows.
type hybridTables struct {
	// cosines of each input produce 18 values, the outputs 9 … 17 and 18 … 26; the others are their
	// mirror images.
	cosines [18 * 24]float32
	short   [12][6]float32 // with the window
	windows [4][36]float32
}

var hybridTable = sync.OnceValue(func() *hybridTables {
	t := new(hybridTables)
	for k := range 18 {
		for i := range 18 {
			t.cosines[24*k+i] = float32(math.Cos(math.Pi / 72 * float64((2*(i+9)+19)*(2*k+1))))
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
				h.one(t, values, overlap, &t.windows[block])
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
func (h *hybridFilter) one(t *hybridTables, values, overlap *[18]float32, window *[36]float32) {
	half := &h.half
	kernel.Combine(half, t.cosines[:], values[:])
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

// bankWindow is the window of the filter bank, as [kernel.Bank] takes it.
var bankWindow = sync.OnceValue(func() *[512]float32 {
	window := new([512]float32)
	for i := range window {
		switch {
		case i <= 256:
			window[i] = float32(synthesisWindow[i]) / (1 << 16)
		case i%64 == 0:
			window[i] = float32(synthesisWindow[512-i]) / (1 << 16)
		default:
			window[i] = -float32(synthesisWindow[512-i]) / (1 << 16)
		}
		if i%64 >= 16 {
			window[i] = -window[i]
		}
	}
	return window
})
