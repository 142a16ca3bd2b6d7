package sound

import (
	"math"
	"sync"

	"github.com/unum-cloud/uform-go/errors"
)

// Config says how a recording becomes patches. It is the audio member of a model's configuration.
type Config struct {
	Rate      int     // samples a second, 4,000 … 96,000
	Window    int     // samples of a frame, 16 … 8,192
	Hop       int     // samples between frames, 1 … Window
	Mels      int     // bands, 4 … 256
	Low, High float64 // the outer edges in Hz, 0 ≤ Low < High ≤ Rate/2
	Frames    int     // frames of a patch, 1 … 256
	Mean      float64 // of a band's logarithm
	Deviation float64 // likewise, above 0
}

// quietest keeps the logarithm of silence finite.
const quietest = 1e-6

// Analyzer turns samples at one rate into patches.
type Analyzer struct {
	config    Config
	window    []float64 // Hann's
	transform *transform
	bands     []melBand
	silence   float32 // the value of a band without power
	rooms     sync.Pool
}

// melBand holds the weights of adjacent frequencies in one band.
type melBand struct {
	first   int
	weights []float64
}

// room is the working memory of one call.
type room struct {
	x, y         []complex128
	first, other []float64 // powers of two frames
}

// NewAnalyzer returns an analyzer for config. It fails with [errors.ErrInvalidArgument] if a value
// is out of range.
func NewAnalyzer(config Config) (*Analyzer, error) {
	within := func(value, low, high int) bool { return value >= low && value <= high }
	if !within(config.Rate, 4000, 96000) || !within(config.Window, 16, 8192) || !within(config.Hop, 1, config.Window) ||
		!within(config.Mels, 4, 256) || !within(config.Frames, 1, 256) ||
		!(config.Low >= 0 && config.Low < config.High && config.High <= float64(config.Rate)/2) ||
		!(math.Abs(config.Mean) <= 100 && config.Deviation > 0 && config.Deviation <= 100) {
		return nil, &fault{errors.ErrInvalidArgument, "the audio configuration is out of range; see the checkpoint's page, section 2"}
	}
	a := &Analyzer{config: config, transform: newTransform(config.Window), bands: melBands(&config)}
	for k := range config.Window {
		a.window = append(a.window, 0.5-0.5*math.Cos(2*math.Pi*float64(k)/float64(config.Window)))
	}
	a.silence = a.value(0)
	a.rooms.New = func() any {
		powers := config.Window/2 + 1
		return &room{
			x: make([]complex128, a.transform.scratch()), y: make([]complex128, a.transform.scratch()),
			first: make([]float64, powers), other: make([]float64, powers),
		}
	}
	return a, nil
}

// melBands returns triangular filters that overlap by half on the mel scale and are linear in Hz.
func melBands(config *Config) []melBand {
	mel := func(frequency float64) float64 { return 2595 * math.Log10(1+frequency/700) }
	low, high := mel(config.Low), mel(config.High)
	point := func(i int) float64 {
		m := low + (high-low)*float64(i)/float64(config.Mels+1)
		return 700 * (math.Pow(10, m/2595) - 1)
	}
	bands := make([]melBand, config.Mels)
	for b := range bands {
		band := &bands[b]
		lower, middle, upper := point(b), point(b+1), point(b+2)
		for m := range config.Window/2 + 1 {
			frequency := float64(m) * float64(config.Rate) / float64(config.Window)
			if frequency <= lower || frequency >= upper {
				continue
			}
			if len(band.weights) == 0 {
				band.first = m
			}
			if frequency <= middle {
				band.weights = append(band.weights, (frequency-lower)/(middle-lower))
			} else {
				band.weights = append(band.weights, (upper-frequency)/(upper-middle))
			}
		}
	}
	return bands
}

// value returns a band's value for a power.
func (a *Analyzer) value(power float64) float32 {
	return float32((math.Log(quietest+power) - a.config.Mean) / a.config.Deviation)
}

// Size returns the number of values in a patch: Frames · Mels.
func (a *Analyzer) Size() int { return a.config.Frames * a.config.Mels }

// Count returns the number of patches in samples at the analyzer's rate, 0 if there are none.
func (a *Analyzer) Count(samples int) int {
	if samples < 1 {
		return 0
	}
	return (samples-1)/a.config.Hop/a.config.Frames + 1
}

// Reach returns the number of leading samples that the first patches depend on. Later samples do
// not change them.
func (a *Analyzer) Reach(patches int) int {
	if patches < 1 {
		return 0
	}
	step := a.config.Frames * a.config.Hop
	if patches > (math.MaxInt-a.config.Window)/step {
		return math.MaxInt
	}
	return patches*step - a.config.Hop + a.config.Window - a.config.Window/2
}

// Patches appends the patches of samples to dst, up to a maximum number. Each has [Analyzer.Size]
// values: band by band within each frame. Samples must be finite.
func (a *Analyzer) Patches(dst, samples []float32, most int) []float32 {
	patches := min(a.Count(len(samples)), most)
	if patches < 1 {
		return dst
	}
	frames := min((len(samples)-1)/a.config.Hop+1, patches*a.config.Frames)
	r := a.rooms.Get().(*room)
	defer a.rooms.Put(r)
	for frame := 0; frame < frames; frame += 2 {
		// Two real frames share one complex transform.
		a.load(r.x, samples, frame, frame+1 < frames)
		separate(a.transform.run(r.x, r.y), r.first, r.other)
		dst = a.appendBands(dst, r.first)
		if frame+1 < frames {
			dst = a.appendBands(dst, r.other)
		}
	}
	for range (patches*a.config.Frames - frames) * a.config.Mels {
		dst = append(dst, a.silence)
	}
	return dst
}

// load puts one frame into the real parts of x and the next frame, if any, into the imaginary
// parts.
func (a *Analyzer) load(x []complex128, samples []float32, frame int, next bool) {
	start := frame*a.config.Hop - a.config.Window/2
	at := func(i int) float64 {
		if i < 0 || i >= len(samples) {
			return 0
		}
		return float64(samples[i])
	}
	inside := start >= 0 && start+a.config.Hop+a.config.Window <= len(samples)
	for k, weight := range a.window {
		var one, two float64
		if i := start + k; inside {
			one, two = float64(samples[i]), float64(samples[i+a.config.Hop])
		} else {
			one, two = at(i), at(i+a.config.Hop)
		}
		x[k] = complex(one*weight, two*weight)
	}
	if !next {
		for k := range a.window {
			x[k] = complex(real(x[k]), 0)
		}
	}
}

// separate computes the powers of two real frames from the spectrum of their complex sum: the
// spectrum of the real parts is even, that of the imaginary parts is odd.
func separate(spectrum []complex128, first, other []float64) {
	n := len(spectrum)
	for m := range first {
		z, mirror := spectrum[m], spectrum[(n-m)%n]
		evenReal, evenImag := real(z)+real(mirror), imag(z)-imag(mirror)
		oddReal, oddImag := imag(z)+imag(mirror), real(mirror)-real(z)
		first[m] = (evenReal*evenReal + evenImag*evenImag) / 4
		other[m] = (oddReal*oddReal + oddImag*oddImag) / 4
	}
}

// appendBands appends the values of one frame's bands.
func (a *Analyzer) appendBands(dst []float32, powers []float64) []float32 {
	for i := range a.bands {
		band := &a.bands[i]
		var sum float64
		for m, weight := range band.weights {
			sum += weight * powers[band.first+m]
		}
		dst = append(dst, a.value(sum))
	}
	return dst
}
