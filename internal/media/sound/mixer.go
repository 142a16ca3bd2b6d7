package sound

// mixer collects samples as the means of their channels.
type mixer struct {
	rate    int
	most    int // samples, by the limits
	samples []float32
}

// believed is the most samples that memory is allocated for on the file's word alone.
const believed = 1 << 20

// begin sets the rate, which all parts of a file must share, and reserves memory for about samples
// more.
func (m *mixer) begin(rate, samples int) error {
	switch {
	case rate < 1:
		return malformed("the sampling rate is %d Hz", rate)
	case rate > MaximumRate:
		return unsupported("the sampling rate is %d Hz; at most %d Hz are decoded", rate, MaximumRate)
	case m.rate != 0 && m.rate != rate:
		return unsupported("the sampling rate changes from %d to %d Hz; split the file", m.rate, rate)
	}
	m.rate = rate
	if m.samples == nil && samples > 0 {
		m.samples = make([]float32, 0, min(samples, m.most, believed))
	}
	return nil
}

// unsure is how many samples may be decoded beyond the limit, since some formats cut their ends
// only afterwards.
const unsure = 1 << 17

// allow reserves memory for samples more, or fails if they exceed the limit.
func (m *mixer) allow(samples int) error {
	if samples-unsure > m.most-len(m.samples) {
		return m.tooLong()
	}
	if need := len(m.samples) + samples; need > cap(m.samples) {
		// The capacity doubles, up to the limit: append would leave up to three times the limit to
		// the garbage collector.
		room := make([]float32, len(m.samples), max(need, min(2*cap(m.samples), m.most)))
		copy(room, m.samples)
		m.samples = room
	}
	return nil
}

func (m *mixer) tooLong() error {
	return unsupported("the recording is longer than the %d samples allowed; cut it, or raise the limit", m.most)
}

// interleaved adds samples whose channels alternate.
func (m *mixer) interleaved(samples []float32, channels int) error {
	count := len(samples) / channels
	if err := m.allow(count); err != nil {
		return err
	}
	switch channels {
	case 1:
		m.samples = append(m.samples, samples...)
	case 2:
		for i := range count {
			m.samples = append(m.samples, samples[2*i]/2+samples[2*i+1]/2)
		}
	default:
		scale := 1 / float64(channels)
		for i := range count {
			var sum float64
			for _, sample := range samples[i*channels:][:channels] {
				sum += float64(sample)
			}
			m.samples = append(m.samples, float32(sum*scale))
		}
	}
	return nil
}
