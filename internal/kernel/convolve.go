package kernel

// ConvolveTaps is what the number of weights of a phase is a multiple of.
const ConvolveTaps = 32

// Convolve filters samples by the weights of a table, which has taps of them for each of its
// phases: an output for each of dst. The first is at the start of samples, at a phase; each is step
// samples and rest phases behind the one before. rest is less than the number of phases.
func Convolve(dst, samples, table []float32, taps, phase, step, rest int) {
	media().convolve(dst, samples, table, taps, phase, step, rest)
}

func convolvePortable(dst, samples, table []float32, taps, phase, step, rest int) {
	for i := range dst {
		dst[i] = dotPortable(table[phase*taps:][:taps], samples[:taps])
		if i+1 < len(dst) {
			phase, samples = advanced(phase, step, rest, len(table)/taps, samples)
		}
	}
}

// advanced returns the phase and the samples of the next output.
func advanced(phase, step, rest, phases int, samples []float32) (int, []float32) {
	if phase += rest; phase >= phases {
		phase -= phases
		step++
	}
	return phase, samples[step:]
}
