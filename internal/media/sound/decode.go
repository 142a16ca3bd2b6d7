package sound

import ()

// Recording is a decoded file, mixed down to one channel.
type Recording struct {
	// Rate is the number of samples per second, 1 … MaximumRate.
	Rate int
	// Samples are the means of the channels. Full scale in the file is −1 … 1; a lossy decoder and
	// a file of floats may exceed it, up to 2^32. A file without sound has none.
	Samples []float32
}

// MaximumRate is the highest sampling rate of a file, in Hz. FLAC cannot store a higher one.
const MaximumRate = 1<<20 - 1

// DefaultSamples is the longest recording that [Decode] returns by default: 46 minutes at 48 kHz,
// in 512 MiB.
const DefaultSamples = 1 << 27

// Limits bounds the cost of a file.
type Limits struct {
	// Samples is the longest recording, counted on one channel, at four bytes of memory each; 0
	// means [DefaultSamples]. A longer recording is an error; it is not cut.
	Samples int
}

// Decode detects data's format, decodes it, and mixes the channels down to one. The recording holds
// no reference to data. limits may be nil.
//
// It fails with [errors.ErrMalformed] if data is not a recording, ends early, or is damaged as far
// as its format shows, and with [errors.ErrUnsupported] if it is well-formed but in a coding that
// is not decoded here, or longer than limits allow. It never succeeds with less than the file says
// it holds.
func Decode(data []byte, limits *Limits) (*Recording, error) {
	format, ok := Sniff(data)
	if !ok {
		return nil, malformed("the first bytes match no known audio format; give a WAV, FLAC, Ogg or MP3 file")
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
			return nil, malformed("sample %d of the %v file is %v, which is not a valid sample", i, format, sample)
		}
	}
	return &Recording{Rate: m.rate, Samples: m.samples}, nil
}

// decode recovers from panics of the decoders from other modules: an unexpected file must return an
// error.
func decode(format Format, data []byte, m *mixer) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = malformed("the decoder of the %v file panicked: %v", format, problem)
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

// loudest is the largest magnitude of a sample: full scale is 1, some files of floats reach the
// full scale of integers, and the power of a much larger value would not be finite.
const loudest = 1 << 32

// Usable reports whether a sample is valid: it is not NaN, and its magnitude is at most 2^32.
func Usable(sample float32) bool { return sample >= -loudest && sample <= loudest }
