package sound

// mpegHeader is the first four bytes of an MPEG audio frame.
type mpegHeader struct {
	version     int // of mpegRates: 0 is MPEG-1, 1 is MPEG-2, 2 is what is called MPEG-2.5
	layer       int // 1 … 3
	checksummed bool
	bitrate     int // bits a second, 0 where the format is free
	rateCode    int // of mpegRates
	padding     int // bytes
	channels    int
	middle      bool // the channels are stored as mean and difference
	intensity   bool // the upper bands are stored once, with directions
}

// mpegRates are samples per second by version and code. Each later version halves the rates of the
// one before.
var mpegRates = [3][3]int{{44100, 48000, 32000}, {22050, 24000, 16000}, {11025, 12000, 8000}}

// mpegBitrates are the bitrates of layer 3 in kbit/s, of MPEG-1 and of the others.
var mpegBitrates = [2][15]int{
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}

const mpegHeaderLength = 4

// parseMPEGHeader reads a header without reserved values. The bitrate and the length are those of
// layer 3.
func parseMPEGHeader(data []byte) (mpegHeader, bool) {
	if len(data) < mpegHeaderLength || data[0] != 0xFF || data[1]&0xE0 != 0xE0 {
		return mpegHeader{}, false
	}
	version, layer := data[1]>>3&3, data[1]>>1&3
	bitrate, rate, emphasis := int(data[2]>>4), int(data[2]>>2&3), data[3]&3
	if version == 1 || layer == 0 || bitrate == 15 || rate == 3 || emphasis == 2 {
		return mpegHeader{}, false
	}
	h := mpegHeader{
		version:     map[byte]int{3: 0, 2: 1, 0: 2}[version],
		layer:       4 - int(layer),
		checksummed: data[1]&1 == 0,
		rateCode:    rate,
		padding:     int(data[2] >> 1 & 1),
		channels:    2,
	}
	h.bitrate = mpegBitrates[min(h.version, 1)][bitrate] * 1000
	switch mode, extension := data[3]>>6, data[3]>>4&3; mode {
	case 1:
		h.intensity, h.middle = extension&1 != 0, extension&2 != 0
	case 3:
		h.channels = 1
	}
	return h, true
}

func (h mpegHeader) rate() int { return mpegRates[h.version][h.rateCode] }

// granules returns the number of blocks of 576 samples in the frame.
func (h mpegHeader) granules() int {
	if h.version == 0 {
		return 2
	}
	return 1
}

// length returns the frame's length in bytes. A frame of free format has free bytes, before
// padding.
func (h mpegHeader) length(free int) int {
	if h.bitrate == 0 {
		return free + h.padding
	}
	return 72*h.granules()*h.bitrate/h.rate() + h.padding
}

// sideLength returns the number of bytes of side information after the header and the checksum.
func (h mpegHeader) sideLength() int {
	switch {
	case h.version == 0 && h.channels == 2:
		return 32
	case h.version > 0 && h.channels == 1:
		return 9
	}
	return 17
}

// mainStart returns where the frame's main data begins.
func (h mpegHeader) mainStart() int {
	start := mpegHeaderLength + h.sideLength()
	if h.checksummed {
		start += 2
	}
	return start
}

// continues reports whether a frame with this header may follow a frame with header before in the
// same stream.
func (h mpegHeader) continues(before mpegHeader) bool {
	return h.version == before.version && h.layer == before.layer && h.rateCode == before.rateCode &&
		(h.bitrate == 0) == (before.bitrate == 0)
}
