package sound

import ()

// Recording is what a file sounds like on one channel.
type Recording struct {
	// Rate is samples a second, 1 … MaximumRate.
	Rate int
	// Samples are the means of the channels. What is full scale in the file is within −1 … 1; a
	// lossy decoder and a file of floats may go beyond, up to 2^32. A file without sound has none.
	Samples []float32
}

// MaximumRate is the highest sampling rate that a file may have, in Hz. FLAC has room for no higher
// one.
const MaximumRate = 1<<20 - 1

// DefaultSamples is the longest recording that [Decode] makes without other limits: 46 minutes at
// 48 kHz, in 512 MiB.
const DefaultSamples = 1 << 27

// Limits bounds what a file may cost.
type Limits struct {
	// Samples is the longest recording, counted on one channel, so four bytes of memory each; 0
	// means [DefaultSamples]. A longer recording is refused, not cut.
	Samples int
}

// Decode returns data's format, decodes it, and mixes the channels down to one. The recording holds
// no reference to data. limits may be nil.
//
// It fails with [errors.ErrMalformed] where data is no recording, ends early, or is damaged as far
// as its format shows, and with [errors.ErrUnsupported] where it is well-formed but in a coding
// that is not decoded here, or longer than limits allow. It never succeeds with less than the file
// says it holds.
func Decode(data []byte, limits *Limits) (*Recording, error) {
	format, ok := Sniff(data)
	if !ok {
		return nil, malformed("the first bytes are of no recording; give a WAV, FLAC, Ogg or MP3 file")
	}
	most := DefaultSamples
	if limits != nil && limits.Samples > 0 {
		most = limits.Samples
	}
	data = data[tagLength(data):]
	if len(data) == 0 {
		return nil, early(format, "inside its ID3 tag")
	}
	m := &mixer{most: most}
	if err := decode(format, data, m); err != nil {
		return nil, err
	}
	if len(m.samples) > most {
		return nil, m.tooLong()
	}
	for i, sample := range m.samples {
		if !Usable(sample) {
			return nil, malformed("sample %d of the %v file is %v, which is no sound", i, format, sample)
		}
	}
	return &Recording{Rate: m.rate, Samples: m.samples}, nil
}

// decode returns the boundary to decoders that are not ours: where one panics on a file that it did
// not expect, the file is at fault.
func decode(format Format, data []byte, m *mixer) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = malformed("the %v file broke its decoder: %v", format, problem)
		}
	}()
	switch format {
	case WAV:
		return decodeWAV(data, m)
	case FLAC:
		return decodeFLAC(data, m)
	case Ogg:
		return decodeOgg(data, m)
	default:
		return decodeMP3(data, m)
	}
}

// loudest is the greatest sample there may be: full scale is 1, some files of floats go on to full
// scale of integers, and the power of much more would not be a finite number.
const loudest = 1 << 32

// Usable reports whether a sample may be one: it is not NaN, and its magnitude at most 2^32.
func Usable(sample float32) bool { return sample >= -loudest && sample <= loudest }
