package kernel

func convolveAVX2(dst, samples, table []float32, taps, phase, step, rest int) {
	phases := len(table) / taps
	for len(dst) > 0 {
		count := min(max(mostWeighed/taps, 1), len(dst))
		// How far the last output's weights and those of the next output reach.
		turns := phase + (count-1)*rest
		last := (count-1)*step + turns/phases
		_, _ = samples[last:][:taps], table[:phases*taps]
		convolvex32(&dst[0], &samples[0], &table[0], taps, phases, phase, step, rest, count)
		if dst = dst[count:]; len(dst) > 0 {
			phase, samples = advanced(turns%phases, step, rest, phases, samples[last:])
		}
	}
}
