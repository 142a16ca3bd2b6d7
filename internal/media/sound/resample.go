package sound

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// The filter of section 11, step 3.
const (
	filterCrossings = 32    // zeroes of the filter on either side
	filterRolloff   = 0.945 // of the lower of the two rates
	filterBeta      = 12    // of the Kaiser window
)

// tableLimit is the most weights that are kept, in 4 MiB. Common rates need a few hundred thousand
// at most; for others the weights are computed when they are needed, at about a tenth of the speed.
const tableLimit = 1 << 20

// mostInner is how many outputs are made at once. Phases of a table times outputs fit an int.
const mostInner = 1 << 14

// HighestRate is the highest rate of a [Resampler], in Hz. The rate of its output may be lower by a
// factor of at most farthest.
const (
	HighestRate = 1<<31 - 1
	farthest    = 1 << 20
)

// Resampler converts samples from one rate to another.
type Resampler struct {
	up, down int // the ratio of the rates in lowest terms
	half     int // the filter reaches samples nearer than this
	angle    float64
	table    []float32 // weights of every phase, taps each, or nil
	taps     int       // 2·half, and zeros that fill up what kernel.Convolve takes at a time
}

// NewResampler returns a resampler from the rate from to the rate to, both in Hz. It fails with
// [errors.ErrInvalidArgument] if one is not within 1 … HighestRate, or from is at least 2²⁰ times
// to.
func NewResampler(from, to int) (*Resampler, error) {
	if from < 1 || to < 1 || from > HighestRate || to > HighestRate || from/to >= farthest {
		return nil, &fault{errors.ErrInvalidArgument, fmt.Sprintf("cannot resample from %d Hz to %d Hz", from, to)}
	}
	divisor := gcd(from, to)
	r := &Resampler{up: to / divisor, down: from / divisor}
	r.half = filterCrossings
	cutoff := 1.0
	if r.up < r.down {
		r.half = int((filterCrossings*int64(r.down) + int64(r.up) - 1) / int64(r.up))
		cutoff = float64(r.up) / float64(r.down)
	}
	r.angle = math.Pi * cutoff * filterRolloff
	r.taps = (2*r.half + kernel.ConvolveTaps - 1) / kernel.ConvolveTaps * kernel.ConvolveTaps
	if r.up != r.down && r.half <= tableLimit/2/r.up {
		r.table = make([]float32, 0, r.up*r.taps)
		weights := make([]float64, 2*r.half)
		for phase := range r.up {
			r.weigh(phase, 1-r.half, weights)
			whole := 0.0
			for _, weight := range weights {
				whole += weight
			}
			for _, weight := range weights {
				r.table = append(r.table, float32(weight/whole))
			}
			r.table = r.table[:(phase+1)*r.taps]
		}
	}
	return r, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Length returns the number of output samples for a number of input samples: ⌈samples·to/from⌉, or
// the largest int.
func (r *Resampler) Length(samples int) int {
	high, low := bits.Mul64(uint64(samples), uint64(r.up))
	low, carry := bits.Add64(low, uint64(r.down-1), 0)
	if high += carry; high >= uint64(r.down) {
		return math.MaxInt
	}
	length, _ := bits.Div64(high, low, uint64(r.down))
	return int(min(length, math.MaxInt))
}

// Append appends the first outputs of samples to dst, up to a maximum number, and none beyond
// [Resampler.Length]. Outside of samples there is silence. dst must not overlap samples.
func (r *Resampler) Append(dst, samples []float32, most int) []float32 {
	count := min(r.Length(len(samples)), most)
	if r.up == r.down {
		return append(dst, samples[:max(count, 0)]...)
	}
	at, phase := 0, 0 // the place of the output among the inputs is at + phase/up
	for count > 0 {
		if inner := r.inner(at, phase, len(samples), count); inner > 0 {
			done := len(dst)
			dst = slices.Grow(dst, inner)[:done+inner]
			kernel.Convolve(dst[done:], samples[at+1-r.half:], r.table, r.taps, phase, r.down/r.up, r.down%r.up)
			turns := phase + inner*(r.down%r.up)
			at, phase = at+inner*(r.down/r.up)+turns/r.up, turns%r.up
			count -= inner
			continue
		}
		if r.table != nil {
			dst = append(dst, r.kept(samples, at, phase))
		} else {
			dst = append(dst, r.computed(samples, at, phase))
		}
		count--
		at += r.down / r.up
		if phase += r.down % r.up; phase >= r.up {
			phase -= r.up
			at++
		}
	}
	return dst
}

// inner returns how many of count outputs, from one on, have all of their taps among a number of
// samples.
func (r *Resampler) inner(at, phase, samples, count int) int {
	first, last := at+1-r.half, samples-r.taps+r.half-1 // the last place that has them
	if r.table == nil || first < 0 || at > last {
		return 0
	}
	// Places are the whole parts of at + (phase + i·down)/up.
	within := (int64(last-at+1)*int64(r.up)-int64(phase)-1)/int64(r.down) + 1
	return int(min(within, int64(count), mostInner))
}

// kept returns one output, by weights from the table.
func (r *Resampler) kept(samples []float32, at, phase int) float32 {
	weights := r.table[phase*r.taps:][:2*r.half]
	first := at + 1 - r.half
	last := min(first+2*r.half, len(samples))
	if first < 0 {
		weights = weights[-first:]
		first = 0
	}
	if last <= first {
		return 0
	}
	return kernel.Dot(samples[first:last], weights[:last-first])
}

// computed returns one output, by weights that are computed.
func (r *Resampler) computed(samples []float32, at, phase int) float32 {
	var sum, whole float64
	var room [128]float64
	for tap := 1 - r.half; tap <= r.half; tap += len(room) {
		weights := room[:min(len(room), r.half+1-tap)]
		r.weigh(phase, tap, weights)
		for i, weight := range weights {
			whole += weight
			if place := at + tap + i; place >= 0 && place < len(samples) {
				sum += float64(samples[place]) * weight
			}
		}
	}
	return float32(sum / whole)
}

// besselTerms are (β²/4)ⁿ/n!², the terms of the Kaiser window's power series in 1 − (t/h)² that are
// large enough to matter.
var besselTerms = func() (terms [24]float64) {
	term := 1.0
	for n := range terms {
		terms[n] = term
		term *= filterBeta * filterBeta / 4 / float64((n+1)*(n+1))
	}
	return terms
}()

// kaiser returns the window at 1 − (t/h)² = v, up to a factor. It sums four series of every fourth
// term, which are independent of each other for the processor.
func kaiser(v float64) float64 {
	var a, b, c, d float64
	square := v * v
	fourth := square * square
	for n := len(besselTerms) - 4; n >= 0; n -= 4 {
		terms := besselTerms[n : n+4 : n+4]
		a, b, c, d = a*fourth+terms[0], b*fourth+terms[1], c*fourth+terms[2], d*fourth+terms[3]
	}
	return a + b*v + (c+d*v)*square
}

// weigh computes the weights of taps from first on, up to a common factor.
func (r *Resampler) weigh(phase, first int, weights []float64) {
	const steady = 32 // turns between two exact sines
	fraction := float64(phase) / float64(r.up)
	turnSine, turnCosine := math.Sincos(r.angle)
	scale := 1 / (float64(r.half) * float64(r.half))
	var sine, cosine float64
	for i := range weights {
		t := float64(first+i) - fraction
		if i%steady == 0 {
			sine, cosine = math.Sincos(r.angle * t)
		} else {
			sine, cosine = sine*turnCosine+cosine*turnSine, cosine*turnCosine-sine*turnSine
		}
		inside := 1 - t*t*scale
		if inside <= 0 {
			weights[i] = 0
			continue
		}
		if t == 0 {
			weights[i] = r.angle * kaiser(inside)
		} else {
			weights[i] = sine / t * kaiser(inside)
		}
	}
}

// Resample appends samples, taken at the rate from, to dst at the rate to. To convert many
// recordings of one pair of rates, use a [Resampler].
func Resample(dst, samples []float32, from, to int) ([]float32, error) {
	r, err := NewResampler(from, to)
	if err != nil {
		return dst, err
	}
	return r.Append(dst, samples, math.MaxInt), nil
}
