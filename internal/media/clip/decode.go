package clip

import (
	stderrors "errors"
	"fmt"
	"slices"
)

// opener opens a decoder of the system for a track. Its error says why there is none.
type opener func(t *track, limits Limits) (session, error)

// session is an open decoder. It belongs to one goroutine.
type session interface {
	// send passes a packet to the decoder. Its frame is returned with the number of the sample.
	send(packet []byte, sample int) error
	// end says that no more packets come. The decoder then returns the frames that it has kept.
	end() error
	// receive returns the sample of the next frame that is ready, or false if there is none.
	receive() (sample int, ok bool, err error)
	// size is that of the frame that was received; picture is the frame itself.
	size() (width, height int)
	picture() (*picture, error)
	// restart drops all data that was sent.
	restart()
	// close frees it.
	close()
}

// budget is the rest of the bytes that frames may take.
type budget struct {
	limits Limits
	left   int
}

// afford reserves the bytes of a frame before it is made.
func (b *budget) afford(width, height int) error {
	switch {
	case width <= 0 || height <= 0:
		return malformed("it is %d×%d pixels: one side is zero", width, height)
	case int64(width) > int64(b.limits.Pixels)/int64(height):
		return malformed("it is %d×%d pixels, the limit is %d: scale it down", width, height, b.limits.Pixels)
	case width*height > b.left/3:
		return malformed("with it the frames take over %d bytes, which is the limit: scale it down, or take fewer", b.limits.Bytes)
	}
	b.left -= 3 * width * height
	return nil
}

// decode returns the pictures of some samples, turned. The choice of the decoder depends on the
// file alone.
func decode(t *track, needed []int, limits Limits, open opener) (map[int]*picture, error) {
	if t.width > 0 && t.height > 0 { // what the file claims is looked at early, and believed late
		early := budget{limits, limits.Bytes}
		if err := early.afford(t.width, t.height); err != nil {
			return nil, fmt.Errorf("the %s has frames too large: %w", t.format, err)
		}
	}
	wanted := slices.Compact(slices.Sorted(slices.Values(needed)))
	var pictures map[int]*picture
	var err error
	if t.codec.still != nil && !slices.ContainsFunc(wanted, func(i int) bool { return !t.samples[i].key }) {
		pictures, err = decodeStills(t, wanted, limits)
	} else {
		pictures, err = decodeRuns(t, wanted, limits, open)
	}
	if err != nil {
		return nil, err
	}
	for i, im := range pictures {
		pictures[i] = turn(im, t.turns)
	}
	return pictures, nil
}

// decodeStills decodes samples that are pictures.
func decodeStills(t *track, wanted []int, limits Limits) (map[int]*picture, error) {
	pictures := make(map[int]*picture, len(wanted))
	purse := budget{limits, limits.Bytes}
	for _, i := range wanted {
		im, err := t.codec.still(t.samples[i].data, limits.Pixels)
		if err != nil {
			return nil, t.fault(i, err)
		}
		if err := purse.afford(im.Width, im.Height); err != nil {
			return nil, t.fault(i, err)
		}
		pictures[i] = im
	}
	return pictures, nil
}

// decodeRuns decodes by the system's decoder what Go cannot.
func decodeRuns(t *track, wanted []int, limits Limits, open opener) (map[int]*picture, error) {
	packets, err := newStream(t)
	if err != nil {
		return nil, err
	}
	decoder, err := open(t, limits)
	if err != nil {
		return nil, unsupported("the %s's video is %s, which is decoded by FFmpeg: %w", t.format, t.codec.name, err)
	}
	defer decoder.close()
	short := plan(t, wanted)
	pictures, err := decodeWith(decoder, &packets, t, wanted, short, limits)
	// A file may mark frames as keys that are not, or mark none if only the decoder can find them.
	// Decoding from the beginning has all data.
	whole := []run{{0, wanted[len(wanted)-1]}}
	if final := (verdict{}); err != nil && !stderrors.As(err, &final) && !slices.Equal(short, whole) {
		decoder.restart()
		pictures, err = decodeWith(decoder, &packets, t, wanted, whole, limits)
	}
	return pictures, err
}

// verdict is an error that decoding more cannot change.
type verdict struct{ error }

func (v verdict) Unwrap() error { return v.error }

// decodeWith decodes runs and keeps the wanted samples of them.
func decodeWith(decoder session, packets *stream, t *track, wanted []int, runs []run, limits Limits) (map[int]*picture, error) {
	w := &work{decoder, t, wanted, make(map[int]*picture, len(wanted)), budget{limits, limits.Bytes}}
	for i, run := range runs {
		if i > 0 {
			decoder.restart()
		}
		if err := w.run(run, packets); err != nil {
			return nil, err
		}
	}
	for _, i := range wanted {
		if w.pictures[i] == nil {
			return nil, t.fault(i, malformed("it decodes to no picture"))
		}
	}
	return w.pictures, nil
}

// work is the state of a decoder's run.
type work struct {
	decoder  session
	track    *track
	wanted   []int
	pictures map[int]*picture
	purse    budget
}

// run decodes a run.
func (w *work) run(run run, packets *stream) error {
	start := w.track.samples[run.first].start
	first := true
	for i := run.first; i <= run.last; i++ {
		s := &w.track.samples[i]
		if len(s.data) == 0 {
			continue
		}
		packet, err := packets.packet(s.data, first)
		if err == nil {
			first = false
			if err = w.decoder.send(packet, i); err == nil {
				err = w.collect()
			}
		}
		// Frames that are shown before the run's first key may depend on samples before the run. No
		// other frames do.
		if final := (verdict{}); err != nil && (s.start >= start || stderrors.As(err, &final)) {
			return w.track.fault(i, err)
		}
	}
	if err := w.decoder.end(); err != nil {
		return w.track.fault(run.last, err)
	}
	if err := w.collect(); err != nil {
		return w.track.fault(run.last, err)
	}
	return nil
}

// collect receives the frames that are ready.
func (w *work) collect() error {
	for {
		i, ok, err := w.decoder.receive()
		if err != nil || !ok {
			return err
		}
		if _, needed := slices.BinarySearch(w.wanted, i); !needed || w.pictures[i] != nil {
			continue
		}
		if err := w.purse.afford(w.decoder.size()); err != nil {
			return verdict{err}
		}
		im, err := w.decoder.picture()
		if err != nil {
			return verdict{err}
		}
		w.pictures[i] = im
	}
}

// fault returns the error of a sample, which is counted from zero in decoding order.
func (t *track) fault(i int, err error) error {
	return fmt.Errorf("the %s does not decode: sample %d of %d (%s): %w", t.format, i, len(t.samples), t.codec.name, err)
}
