package sound_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// speechConfig is what models of speech use.
var speechConfig = sound.Config{Rate: 16000, Window: 400, Hop: 160, Mels: 80, Low: 0, High: 8000, Frames: 4, Mean: -4, Deviation: 4}

// pagePatches returns steps 4 to 7 of the page, as slow as it stands there.
func pagePatches(c sound.Config, samples []float32) []float64 {
	mel := func(f float64) float64 { return 2595 * math.Log10(1+f/700) }
	inverse := func(m float64) float64 { return 700 * (math.Pow(10, m/2595) - 1) }
	points := make([]float64, c.Mels+2)
	for i := range points {
		points[i] = inverse(mel(c.Low) + (mel(c.High)-mel(c.Low))*float64(i)/float64(c.Mels+1))
	}
	n := len(samples)
	frames := (n-1)/c.Hop + 1
	var out []float64
	for f := 0; f < (frames+c.Frames-1)/c.Frames*c.Frames; f++ {
		power := make([]float64, c.Window/2+1)
		for m := range power {
			if f >= frames {
				continue
			}
			var re, im float64
			for k := range c.Window {
				i := f*c.Hop - c.Window/2 + k
				if i < 0 || i >= n {
					continue
				}
				x := float64(samples[i]) * (0.5 - 0.5*math.Cos(2*math.Pi*float64(k)/float64(c.Window)))
				angle := 2 * math.Pi * float64(k*m%c.Window) / float64(c.Window)
				re += x * math.Cos(angle)
				im -= x * math.Sin(angle)
			}
			power[m] = re*re + im*im
		}
		for b := range c.Mels {
			sum := 0.0
			for m, p := range power {
				hz := float64(m) * float64(c.Rate) / float64(c.Window)
				rise := (hz - points[b]) / (points[b+1] - points[b])
				fall := (points[b+2] - hz) / (points[b+2] - points[b+1])
				sum += max(0, min(rise, fall)) * p
			}
			out = append(out, (math.Log(1e-6+sum)-c.Mean)/c.Deviation)
		}
	}
	return out
}

// tones returns samples with a loud tone, a quiet one and a little noise, which exercise all of the
// logarithm.
func tones(n int) []float32 {
	random := rand.New(rand.NewPCG(1, 2))
	samples := make([]float32, n)
	for i := range samples {
		t := float64(i)
		samples[i] = float32(0.7*math.Sin(0.3*t) + 0.001*math.Sin(1.7*t) + 1e-5*(random.Float64()-0.5))
	}
	return samples
}

func TestPatchesAreThePages(t *testing.T) {
	cases := map[string]struct {
		config  sound.Config
		samples int
	}{
		"speech":                    {speechConfig, 1601},
		"one sample":                {speechConfig, 1},
		"less than half a window":   {speechConfig, 150},
		"a patch and a frame":       {speechConfig, 641},
		"a power of two":            {sound.Config{Rate: 16000, Window: 512, Hop: 128, Mels: 40, Low: 20, High: 7600, Frames: 1, Deviation: 1}, 1000},
		"an odd window":             {sound.Config{Rate: 8000, Window: 225, Hop: 80, Mels: 24, Low: 100, High: 4000, Frames: 2, Deviation: 1}, 700},
		"sevens, elevens, thirteen": {sound.Config{Rate: 48000, Window: 1001, Hop: 500, Mels: 32, Low: 0, High: 20000, Frames: 3, Mean: 1, Deviation: 2}, 3000},
		"a prime":                   {sound.Config{Rate: 22050, Window: 401, Hop: 401, Mels: 64, Low: 0, High: 11025, Frames: 2, Deviation: 3}, 2000},
		"twice a prime":             {sound.Config{Rate: 22050, Window: 634, Hop: 100, Mels: 64, Low: 0, High: 11025, Frames: 2, Deviation: 3}, 900},
		"bands narrower than bins":  {sound.Config{Rate: 4000, Window: 16, Hop: 1, Mels: 256, Low: 0, High: 2000, Frames: 256, Deviation: 1}, 40},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			analyzer, err := sound.NewAnalyzer(c.config)
			require.NoError(t, err)
			samples := tones(c.samples)
			got := analyzer.Patches(nil, samples, math.MaxInt)
			want := pagePatches(c.config, samples)
			require.Len(t, got, len(want))
			require.Equal(t, analyzer.Count(len(samples))*analyzer.Size(), len(got))
			for i, v := range want {
				require.InDelta(t, v, got[i], 2e-6*max(1, math.Abs(v)), "value %d", i)
			}
		})
	}
}

// A recording of more patches than are wanted may be cut to what they reach, with the same bits.
func TestPatchesOfTheHead(t *testing.T) {
	analyzer, err := sound.NewAnalyzer(speechConfig)
	require.NoError(t, err)
	samples := tones(9000)
	all := analyzer.Patches(nil, samples, math.MaxInt)
	for patches := range analyzer.Count(len(samples)) + 2 {
		reach := analyzer.Reach(patches)
		head := analyzer.Patches(nil, samples[:min(reach, len(samples))], patches)
		require.Equal(t, all[:min(patches*analyzer.Size(), len(all))], append([]float32{}, head...), "%d patches", patches)
		if reach <= len(samples) && patches > 0 {
			changed := append([]float32{}, samples[:reach]...)
			changed[reach-1]++
			require.NotEqual(t, head[len(head)-1:], analyzer.Patches(nil, changed, patches)[len(head)-1:], "the last sample within reach counts")
		}
	}
	require.Equal(t, math.MaxInt, analyzer.Reach(math.MaxInt))
	require.Empty(t, analyzer.Patches(nil, nil, math.MaxInt))
}

func TestPatchesAppendAndKeepNothing(t *testing.T) {
	analyzer, err := sound.NewAnalyzer(speechConfig)
	require.NoError(t, err)
	samples := tones(3000)
	want := analyzer.Patches(nil, samples, math.MaxInt)
	got := analyzer.Patches([]float32{42}, samples, math.MaxInt)
	require.Equal(t, append([]float32{42}, want...), got)
	room := make([]float32, 0, len(want))
	allocations := testing.AllocsPerRun(20, func() { analyzer.Patches(room, samples, math.MaxInt) })
	require.Less(t, allocations, 3.0, "a room takes five, when the pool has lost it")
}

func TestConfigOutOfRange(t *testing.T) {
	changes := map[string]func(*sound.Config){
		"rate":             func(c *sound.Config) { c.Rate = 3999 },
		"window":           func(c *sound.Config) { c.Window = 8193 },
		"hop":              func(c *sound.Config) { c.Hop = 0 },
		"hop over window":  func(c *sound.Config) { c.Hop = c.Window + 1 },
		"mels":             func(c *sound.Config) { c.Mels = 3 },
		"frames":           func(c *sound.Config) { c.Frames = 257 },
		"low over high":    func(c *sound.Config) { c.Low = c.High },
		"high over half":   func(c *sound.Config) { c.High = 8000.5 },
		"low not a number": func(c *sound.Config) { c.Low = math.NaN() },
		"mean":             func(c *sound.Config) { c.Mean = 101 },
		"deviation":        func(c *sound.Config) { c.Deviation = 0 },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			config := speechConfig
			change(&config)
			_, err := sound.NewAnalyzer(config)
			require.ErrorIs(t, err, errors.ErrInvalidArgument)
		})
	}
}
