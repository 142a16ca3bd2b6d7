package clip

import "fmt"

// ffmpegSession is a decoder of FFmpeg's at work.
type ffmpegSession struct {
	// context, packet and frame are structs of FFmpeg's: a decoder, what goes in, and what comes
	// out.
	context, packet, frame uintptr
	head                   frameHead
	*ffmpeg
}

// openNative opens FFmpeg's decoder for a track.
func openNative(t *track, limits Limits) (session, error) {
	f, err := loadFFmpeg()
	if err != nil {
		return nil, err
	}
	n, err := f.open(t, limits)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// open makes a decoder of those that a codec names.
func (f *ffmpeg) open(t *track, limits Limits) (*ffmpegSession, error) {
	decoder := uintptr(0)
	for _, name := range t.codec.decoders {
		if decoder == 0 {
			decoder = f.findDecoder(name)
		}
	}
	if decoder == 0 {
		return nil, fmt.Errorf("install one that was built with %v, which this one was not", t.codec.decoders)
	}
	n := &ffmpegSession{context: f.contextAlloc(decoder), packet: f.packetAlloc(), frame: f.frameAlloc(), ffmpeg: f}
	if n.context == 0 || n.packet == 0 || n.frame == 0 {
		n.close()
		return nil, fmt.Errorf("it has no memory")
	}
	// One thread: calls are many, and results the same. A damaged frame is an error and not a
	// guess.
	f.setInteger(n.context, "threads", 1, 0)
	f.setOption(n.context, "err_detect", "explode", 0)
	f.setInteger(n.context, "max_pixels", int64(limits.Pixels), 0)
	f.setInteger(n.context, "colorspace", int64(t.colour.matrix), 0)
	f.setInteger(n.context, "color_range", int64(t.colour.levels), 0)
	if t.codec == h264 {
		// Streams that do not say how far frames are out of order are taken at their worst, and not
		// guessed at.
		f.setInteger(n.context, "strict", 1, 0)
	}
	if code := f.contextOpen(n.context, decoder, 0); code < 0 {
		n.close()
		return nil, f.failure(code)
	}
	return n, nil
}

func (n *ffmpegSession) close() {
	// These are made for pointers that are nil, too.
	n.frameFree(&n.frame)
	n.packetFree(&n.packet)
	n.contextFree(&n.context)
}

func (n *ffmpegSession) restart() { n.flush(n.context) }

func (n *ffmpegSession) send(packet []byte, sample int) error {
	if code := n.packetNew(n.packet, int32(len(packet))); code < 0 {
		return n.failure(code)
	}
	defer n.packetUnref(n.packet)
	n.write(n.packetHead(n.packet).data, packet)
	n.write64(n.packet+packetPTS, int64(sample))
	n.write64(n.packet+packetDTS, int64(sample))
	if code := n.ffmpeg.send(n.context, n.packet); code < 0 {
		return n.refusal(code)
	}
	return nil
}

func (n *ffmpegSession) end() error {
	if code := n.ffmpeg.send(n.context, 0); code < 0 && code != endOfFile {
		return n.refusal(code)
	}
	return nil
}

func (n *ffmpegSession) receive() (sample int, ok bool, err error) {
	switch code := n.ffmpeg.receive(n.context, n.frame); {
	case code == tryAgain, code == endOfFile:
		return 0, false, nil
	case code < 0:
		return 0, false, n.refusal(code)
	}
	n.head = n.frameHead(n.frame)
	return int(n.head.pts), true, nil
}

// refusal is the error of a packet that FFmpeg did not decode.
func (n *ffmpegSession) refusal(code int32) error { return malformed("%v", n.failure(code)) }

func (n *ffmpegSession) size() (width, height int) { return int(n.head.width), int(n.head.height) }

func (n *ffmpegSession) picture() (*picture, error) { return n.convert(n.context, n.head) }
