package sound_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// bessel returns I₀, summed until nothing is added.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for n := 1.0; term > sum*1e-18; n++ {
		term *= x / 2 / n * (x / 2 / n)
		sum += term
	}
	return sum
}

// pageOutput returns output j of step 3 of the page, as slow as it stands there.
func pageOutput(samples []float32, from, to, j int) float64 {
	divisor := from
	for rest := to; rest != 0; {
		divisor, rest = rest, divisor%rest
	}
	up, down := float64(to/divisor), float64(from/divisor)
	c := min(1, up/down)
	h := math.Ceil(32 * max(1, down/up))
	centre := float64(j) * down / up
	const rho, beta = 0.945, 12
	var sum, whole float64
	for i := math.Floor(centre - h); i <= math.Ceil(centre+h); i++ {
		t := i - centre
		if math.Abs(t) >= h {
			continue
		}
		w := c * rho * bessel(beta*math.Sqrt(1-t/h*t/h)) / bessel(beta)
		if t != 0 {
			w *= math.Sin(math.Pi*c*rho*t) / (math.Pi * c * rho * t)
		}
		whole += w
		if i >= 0 && int(i) < len(samples) {
			sum += float64(samples[int(i)]) * w
		}
	}
	return sum / whole
}

func TestResampleIsThePages(t *testing.T) {
	samples := tones(500)
	for _, rates := range [][2]int{
		{44100, 16000}, {48000, 16000}, {8000, 16000}, {16000, 44100}, {22050, 16000}, {11025, 16000}, {192000, 16000}, {16001, 16000},
		{44100, 96001}, {96001, 44100}, {1, 50}, {1048575, 4000}, {3, 2}, {300000007, 96000},
	} {
		t.Run(fmt.Sprintf("%d to %d", rates[0], rates[1]), func(t *testing.T) {
			got, err := sound.Resample(nil, samples, rates[0], rates[1])
			require.NoError(t, err)
			require.Len(t, got, (len(samples)*rates[1]+rates[0]-1)/rates[0])
			for j := 0; j < len(got); j += 1 + len(got)/200 {
				require.InDelta(t, pageOutput(samples, rates[0], rates[1], j), got[j], 1e-6, "output %d", j)
			}
		})
	}
}

// A tone within the band stays the same tone, to 100 dB; one above it goes.
func TestResampledTones(t *testing.T) {
	tone := func(frequency float64, rate, n int) []float32 {
		samples := make([]float32, n)
		for i := range samples {
			samples[i] = float32(0.5 * math.Sin(2*math.Pi*frequency*float64(i)/float64(rate)))
		}
		return samples
	}
	for _, rates := range [][2]int{{44100, 16000}, {48000, 16000}, {16000, 48000}, {8000, 44100}, {44100, 48001}} {
		const n = 12000
		edge := float64(min(rates[0], rates[1])) / 2
		for _, frequency := range []float64{100, edge * 0.25, edge * 0.8} {
			got, err := sound.Resample(nil, tone(frequency, rates[0], n), rates[0], rates[1])
			require.NoError(t, err)
			margin := len(got) / 10
			noise := signalToNoise(tone(frequency, rates[1], len(got))[margin:len(got)-margin], got[margin:len(got)-margin])
			require.Greater(t, noise, 100.0, "%v Hz from %d to %d", frequency, rates[0], rates[1])
		}
		if rates[1] < rates[0] {
			got, err := sound.Resample(nil, tone(edge*1.1, rates[0], n), rates[0], rates[1])
			require.NoError(t, err)
			for _, v := range got[len(got)/10 : len(got)*9/10] {
				require.InDelta(t, 0, v, 1e-5)
			}
		}
	}
}

// signalToNoise returns how far got is from want, in dB.
func signalToNoise(want, got []float32) float64 {
	var signal, noise float64
	for i, w := range want {
		d := float64(w) - float64(got[i])
		signal += float64(w) * float64(w)
		noise += d * d
	}
	return 10 * math.Log10(signal/noise)
}

func TestResampleTheHead(t *testing.T) {
	r, err := sound.NewResampler(44100, 16000)
	require.NoError(t, err)
	samples := tones(5000)
	all := r.Append(nil, samples, math.MaxInt)
	require.Len(t, all, r.Length(len(samples)))
	require.Equal(t, append([]float32{7}, all[:100]...), r.Append([]float32{7}, samples, 100))
	require.Empty(t, r.Append(nil, samples, 0))
	require.Empty(t, r.Append(nil, nil, math.MaxInt))
	room := make([]float32, 0, len(all))
	require.Zero(t, testing.AllocsPerRun(5, func() { r.Append(room, samples, math.MaxInt) }))
	same, err := sound.Resample(nil, samples, 48000, 48000)
	require.NoError(t, err)
	require.Equal(t, samples, same)
}

func TestResamplerLength(t *testing.T) {
	for _, c := range []struct{ from, to, samples, want int }{
		{44100, 16000, 0, 0}, {44100, 16000, 1, 1}, {44100, 16000, 441, 160}, {44100, 16000, 442, 161},
		{1, sound.HighestRate, math.MaxInt, math.MaxInt}, {1, sound.HighestRate, 1, sound.HighestRate},
		{sound.HighestRate, 4000, math.MaxInt32, 4000}, {1 << 20, 2, 1<<30 + 1, 1<<11 + 1},
	} {
		r, err := sound.NewResampler(c.from, c.to)
		require.NoError(t, err)
		require.Equal(t, c.want, r.Length(c.samples), "%+v", c)
	}
	for _, rates := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {sound.HighestRate, 1}, {1 << 20, 1}} {
		_, err := sound.NewResampler(rates[0], rates[1])
		require.ErrorIs(t, err, errors.ErrInvalidArgument)
	}
}
