package sound

import (
	"slices"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// mpegDecoder is the state that is kept between the frames of one stream.
type mpegDecoder struct {
	reservoir []byte // the last main data, which later frames may begin in
	joined    []byte
	channels  [2]mpegChannel
	hybrid    [2]hybridFilter
	bank      kernel.Bank
	subbands  [576]float32 // the mean of the channels
}

// mpegChannel is one channel of a granule.
type mpegChannel struct {
	side     mpegSide
	scales   [39]uint8 // by band, as bandLayout lists them
	illegal  [39]bool  // scale factors that stand for no direction
	spectrum [576]float32
	filled   int // where the zeroes begin that go on to the end
}

// mpegSide is the side information of one channel of a granule.
type mpegSide struct {
	bits        int // of scale factors and spectrum
	pairs       int // of large values
	gain        int
	compression int
	switched    bool // the block is not a normal one
	block       int  // 0 normal, 1 start, 2 three short ones, 3 stop
	mixed       bool // the lowest bands are of a normal block all the same
	tables      [3]int
	regions     [2]int  // in bands
	subgains    [3]int  // of short blocks
	preemphasis bool    // the upper scale factors are raised
	coarse      bool    // scale factors count double
	quads       int     // 0 or 1, the table of small values
	reuse       [4]bool // groups of scale factors are those of the granule before
}

const reservoirLength = 511

// decode appends the samples of frame, the mean of its channels, to dst. A frame whose main data
// begins in frames that are missing, such as the first ones of a cut stream, is silent.
func (d *mpegDecoder) decode(dst []float32, frame *mpegFrame) ([]float32, error) {
	r := &bitReader{data: frame.data[frame.mainStart()-frame.sideLength() : frame.mainStart()]}
	main := frame.data[frame.mainStart():]
	begin := 0
	if frame.version == 0 {
		begin = int(r.read(9))
		r.read(7 - 2*frame.channels)
	} else {
		begin = int(r.read(8))
		r.read(frame.channels)
	}
	missing := begin > len(d.reservoir)
	d.joined = append(d.joined[:0], d.reservoir[max(0, len(d.reservoir)-begin):]...)
	d.joined = append(d.joined, main...)
	d.reservoir = append(d.reservoir, main...)
	d.reservoir = append(d.reservoir[:0], d.reservoir[max(0, len(d.reservoir)-reservoirLength):]...)
	var reuse [2][4]bool
	if frame.version == 0 {
		for channel := range frame.channels {
			for group := range reuse[channel] {
				reuse[channel][group] = r.read(1) == 1
			}
		}
	}
	data := &bitReader{data: d.joined}
	for granule := range frame.granules() {
		for channel := range d.channels[:frame.channels] {
			side := &d.channels[channel].side
			if !side.parse(r, frame.version) {
				return nil, malformed("an MP3 frame has impossible side information; the file is damaged")
			}
			side.reuse = [4]bool{}
			if granule > 0 {
				side.reuse = reuse[channel]
			}
		}
		for channel := range d.channels[:frame.channels] {
			c := &d.channels[channel]
			if missing {
				clear(c.spectrum[:])
				c.filled = 0
				continue
			}
			if !c.read(data, frame, channel) {
				return nil, malformed("an MP3 frame needs more data than there is; the file is damaged")
			}
		}
		if frame.channels == 2 && !missing {
			d.joinStereo(frame)
		}
		dst = d.synthesize(dst, frame)
	}
	return dst, nil
}

// parse reads the side information of one channel, and reports whether it is valid.
func (s *mpegSide) parse(r *bitReader, version int) bool {
	*s = mpegSide{bits: int(r.read(12)), pairs: int(r.read(9)), gain: int(r.read(8))}
	if version == 0 {
		s.compression = int(r.read(4))
	} else {
		s.compression = int(r.read(9))
	}
	if s.switched = r.read(1) == 1; s.switched {
		s.block, s.mixed = int(r.read(2)), r.read(1) == 1
		s.tables[0], s.tables[1] = int(r.read(5)), int(r.read(5))
		for i := range s.subgains {
			s.subgains[i] = int(r.read(3))
		}
		if s.block == 0 {
			return false
		}
	} else {
		for i := range s.tables {
			s.tables[i] = int(r.read(5))
		}
		s.regions[0], s.regions[1] = int(r.read(4)), int(r.read(3))
	}
	if version == 0 {
		s.preemphasis = r.read(1) == 1
	}
	s.coarse = r.read(1) == 1
	s.quads = int(r.read(1))
	return s.pairs <= 288
}

// read reads the scale factors and the spectrum of one channel, and reports whether all of it was
// there.
func (c *mpegChannel) read(r *bitReader, frame *mpegFrame, channel int) bool {
	end := r.position + c.side.bits
	if end > 8*len(r.data) {
		return false
	}
	if frame.version == 0 {
		c.readScales(r)
	} else {
		c.readLowScales(r, frame.intensity && channel == 1)
	}
	c.readSpectrum(r, end, frame.version, frame.rateCode)
	r.position = end
	c.requantize(layoutOf(frame.version, frame.rateCode, &c.side), frame.middle)
	return true
}

// synthesize turns the spectra of a granule into 576 samples. From the subbands on everything is
// linear, so the channels are mixed there.
func (d *mpegDecoder) synthesize(dst []float32, frame *mpegFrame) []float32 {
	for channel := range d.channels[:frame.channels] {
		c := &d.channels[channel]
		layout := layoutOf(frame.version, frame.rateCode, &c.side)
		c.reorder(layout)
		c.antialias()
		d.hybrid[channel].run(c)
	}
	mean := &d.channels[0].spectrum
	if frame.channels == 2 {
		for i, right := range d.channels[1].spectrum {
			d.subbands[i] = (mean[i] + right) / 2
		}
		mean = &d.subbands
	}
	done := len(dst)
	dst = slices.Grow(dst, len(mean))[:done+len(mean)]
	d.bank.Synthesize((*kernel.Granule)(dst[done:]), mean, bankWindow())
	return dst
}
