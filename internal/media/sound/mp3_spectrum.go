package sound

import (
	"math"
	"sync"
)

// powers are v^(4/3) for every value that a code can represent.
var powers = sync.OnceValue(func() []float32 {
	table := make([]float32, 15+1<<13)
	for value := range table {
		table[value] = float32(math.Pow(float64(value), 4.0/3))
	}
	return table
})

// emphasis raises the scale factors of the upper bands.
var emphasis = [22]int{11: 1, 12: 1, 13: 1, 14: 1, 15: 2, 16: 2, 17: 3, 18: 3, 19: 3, 20: 2}

// requantize scales each band's values. middle halves their power, for channels that are sums and
// differences.
func (c *mpegChannel) requantize(layout *bandLayout, middle bool) {
	const unit = 210
	step := 0.5
	if c.side.coarse {
		step = 1
	}
	at := 0
	for band, width := range layout.widths {
		if at >= c.filled {
			return
		}
		scale := int(c.scales[band])
		gain := float64(c.side.gain-unit) / 4
		if band >= layout.long {
			gain -= 2 * float64(c.side.subgains[(band-layout.long)%3])
		} else if c.side.preemphasis {
			scale += emphasis[band]
		}
		gain -= step * float64(scale)
		if middle {
			gain -= 0.5
		}
		factor := float32(math.Exp2(gain))
		values := c.spectrum[at : at+width]
		for i := range values {
			values[i] *= factor
		}
		at += width
	}
}

// joinStereo restores left and right from sum and difference, or from one spectrum with directions
// (intensity stereo).
func (d *mpegDecoder) joinStereo(frame *mpegFrame) {
	left, right := &d.channels[0], &d.channels[1]
	bound := 576
	if frame.intensity {
		bound = d.joinDirections(frame)
	}
	if frame.middle {
		rotateStereo(left.spectrum[:bound], right.spectrum[:bound])
		left.filled = max(left.filled, right.filled)
		right.filled = left.filled
	}
}

func rotateStereo(left, right []float32) {
	right = right[:len(left)]
	for i, sum := range left {
		left[i], right[i] = sum+right[i], sum-right[i]
	}
}

// joinDirections applies intensity stereo: it spreads the bands above the last one in which the
// right channel is not silent. It returns where the other bands end, and itself restores bands
// above that have no direction.
func (d *mpegDecoder) joinDirections(frame *mpegFrame) int {
	left, right := &d.channels[0], &d.channels[1]
	layout := layoutOf(frame.version, frame.rateCode, &right.side)
	starts := make([]int, len(layout.widths))
	for band, at := 0, 0; band < len(starts); band++ {
		starts[band] = at
		at += layout.widths[band]
	}
	// In a short block each window has a last sounding band of its own; the normal bands of a mixed
	// block below it count as sounding.
	var sounding [3]bool
	bound := 576
	for band := len(starts) - 1; band >= 0; band-- {
		window, first := 0, band
		if band >= layout.long {
			window = (band - layout.long) % 3
			first = band - 3
		} else {
			first = band - 1
			sounding[0] = sounding[0] || sounding[1] || sounding[2]
		}
		l := left.spectrum[starts[band]:][:layout.widths[band]]
		r := right.spectrum[starts[band]:][:layout.widths[band]]
		if !sounding[window] {
			for _, value := range r {
				sounding[window] = sounding[window] || value != 0
			}
		}
		switch {
		case sounding[window] && (band < layout.long || sounding == [3]bool{true, true, true}):
			return bound
		case sounding[window], right.illegal[directionOf(layout, band, first)]:
			if frame.middle {
				rotateStereo(l, r)
			}
		default:
			a, b := direction(frame.version, int(right.scales[directionOf(layout, band, first)]), right.side.compression)
			if frame.middle { // no sum: the halved power is given back
				a, b = a*math.Sqrt2, b*math.Sqrt2
			}
			for i, value := range l {
				l[i], r[i] = value*a, value*b
			}
		}
		bound = starts[band]
		left.filled = max(left.filled, right.filled)
		right.filled = left.filled
	}
	return bound
}

// directionOf returns the band whose scale factor is band's direction. The highest bands have none
// and use that of the band below.
func directionOf(layout *bandLayout, band, first int) int {
	highest := len(layout.widths) - 1
	if band >= layout.long {
		highest -= 2
	}
	if band >= highest && first >= 0 {
		return first
	}
	return band
}

// direction returns the share of a value that each channel gets.
func direction(version, position, compression int) (left, right float32) {
	if version == 0 {
		ratio := math.Tan(float64(position) * math.Pi / 12)
		if position == 6 {
			return 1, 0
		}
		return float32(ratio / (1 + ratio)), float32(1 / (1 + ratio))
	}
	base := -0.25
	if compression&1 == 1 {
		base = -0.5
	}
	weaker := float32(math.Exp2(base * float64((position+1)/2)))
	if position%2 == 1 {
		return weaker, 1
	}
	return 1, weaker
}

// reorder interleaves the values of short bands, which are stored window by window.
func (c *mpegChannel) reorder(layout *bandLayout) {
	if layout.long == len(layout.widths) {
		return
	}
	var sorted [576]float32
	at := 0
	for band, width := range layout.widths {
		values := c.spectrum[at:][:width]
		switch {
		case band < layout.long:
			copy(sorted[at:], values)
		default:
			window := (band - layout.long) % 3
			first := at - window*width
			for i, value := range values {
				sorted[first+3*i+window] = value
			}
		}
		at += width
	}
	c.spectrum = sorted
	c.filled = 576
}

// aliasing are the weights across the border of two subbands: cosines and sines of the angles whose
// tangents layer 3 gives.
var aliasing = func() (weights [8][2]float32) {
	for i, tangent := range []float64{-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037} {
		cos := 1 / math.Sqrt(1+tangent*tangent)
		weights[i] = [2]float32{float32(cos), float32(tangent * cos)}
	}
	return weights
}()

// antialias removes the aliasing between subbands in normal blocks.
func (c *mpegChannel) antialias() {
	borders := 31
	switch c.side.kind() {
	case 1:
		return
	case 2:
		borders = 1
	}
	borders = min(borders, (c.filled+7)/18)
	for border := 1; border <= borders; border++ {
		below, above := c.spectrum[18*border-8:18*border], c.spectrum[18*border:18*border+8]
		for i, w := range aliasing {
			low, high := below[7-i], above[i]
			below[7-i] = low*w[0] - high*w[1]
			above[i] = high*w[0] + low*w[1]
		}
	}
	if borders > 0 {
		c.filled = min(max(c.filled, 18*borders+8), 576)
	}
}
