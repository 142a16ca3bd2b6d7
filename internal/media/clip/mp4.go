package clip

import "math/bits"

// movie is the state of reading an MP4.
type movie struct {
	data   []byte
	limits Limits
	// scale is the number of units per second in edit lists, trackScale that of the samples.
	scale, trackScale uint32
	// matrix is that of the movie's header. It is applied after the track's.
	matrix matrix
	track  *track
	id     uint32
	// entries are the sample descriptions of the track. entry is the number of the one that all
	// samples use, from 1 on, zero before the first sample.
	entries []box
	entry   uint32
	// defaults are the defaults of fragments, by track.
	defaults map[uint32]defaults
	// time is the decoding time of the next sample of a fragment.
	time int64
}

func readMP4(data []byte, limits Limits) (*track, error) {
	m := &movie{data: data, limits: limits}
	var fragments []box
	for part, err := range boxes(data, true) {
		if err != nil {
			return nil, err
		}
		switch part.kind {
		case "moov":
			if m.track == nil {
				err = m.read(part.body)
			}
		case "moof":
			fragments = append(fragments, part)
		case "sidx":
			err = m.checkIndex(part)
		}
		if err != nil {
			return nil, err
		}
	}
	if m.track == nil {
		return nil, malformed("the MP4 does not decode: it has no movie header (moov), which locates its frames; was the recording stopped?")
	}
	for _, fragment := range fragments {
		if err := m.fragment(fragment); err != nil {
			return nil, err
		}
	}
	if err := m.describe(); err != nil {
		return nil, err
	}
	m.track.mark()
	return m.track, nil
}

// read reads a moov.
func (m *movie) read(body []byte) error {
	found, err := children(body, "mvhd", "mvex")
	if err != nil {
		return err
	}
	header := fields{rest: found["mvhd"].body}
	version, _ := header.version()
	header.wide(version)
	header.wide(version)
	m.scale = header.u32()
	header.wide(version)
	header.take(16)
	if m.matrix = readMatrix(&header); header.short {
		m.matrix = identity
	}
	for part, err := range boxes(body, false) {
		if err != nil {
			return err
		}
		if part.kind != "trak" {
			continue
		}
		media, err := descend(part.body, "mdia")
		if err != nil {
			return err
		}
		handler, err := descend(media, "hdlr")
		if err != nil {
			return err
		}
		if len(handler) < 12 || string(handler[8:12]) != "vide" {
			continue
		}
		m.track = newTrack(MP4)
		if err := m.readDefaults(found["mvex"].body); err != nil {
			return err
		}
		return m.readTrack(part.body, media)
	}
	return malformed("the MP4 has no video track")
}

// readTrack reads the trak and the mdia of the video.
func (m *movie) readTrack(body, media []byte) error {
	found, err := children(body, "tkhd", "edts")
	if err != nil {
		return err
	}
	header := fields{rest: found["tkhd"].body}
	version, _ := header.version()
	header.wide(version)
	header.wide(version)
	m.id = header.u32()
	header.u32()
	header.wide(version)
	header.take(16)
	matrix := readMatrix(&header)
	m.track.turns = matrix.times(m.matrix).turns()
	if header.short {
		return malformed("the MP4 does not decode: its track header is cut off")
	}
	times, err := descend(media, "mdhd")
	if err != nil {
		return err
	}
	header = fields{rest: times}
	version, _ = header.version()
	header.wide(version)
	header.wide(version)
	if m.trackScale = header.u32(); m.trackScale == 0 {
		return malformed("the MP4 does not decode: its video has no time scale")
	}
	if err := m.readEdits(found["edts"].body); err != nil {
		return err
	}
	tables, err := descend(media, "minf", "stbl")
	if err != nil {
		return err
	}
	return m.readTables(tables)
}

// readEdits reads an edit list: the part of the track's time that is shown.
func (m *movie) readEdits(body []byte) error {
	list, err := descend(body, "elst")
	if err != nil || list == nil {
		return err
	}
	f := fields{rest: list}
	version, _ := f.version()
	shown := 0
	for range f.u32() {
		length, start := f.wide(version), int64(f.wide(version))
		if version == 0 {
			start = int64(int32(start))
		}
		rate := f.u32()
		if f.short {
			return malformed("the MP4 does not decode: its edit list is cut off")
		}
		if start == -1 { // nothing for a while: when the clip begins is of no interest
			continue
		}
		if shown++; shown > 1 || rate != 1<<16 {
			return unsupported("the MP4 has an edit list that shows several parts, or at another speed: encode it anew")
		}
		if err := m.show(start, length); err != nil {
			return err
		}
	}
	return nil
}

// show limits the track to a length of the movie's time, if it is not zero, from start in the
// track's.
func (m *movie) show(start int64, length uint64) error {
	if start < 0 || start > farthest {
		return malformed("the MP4 does not decode: its edit list begins at %d", start)
	}
	m.track.shownFrom = start
	if length == 0 || m.scale == 0 {
		return nil
	}
	high, low := bits.Mul64(length, uint64(m.trackScale))
	if high >= uint64(m.scale) {
		return nil // longer than any track
	}
	units, _ := bits.Div64(high, low, uint64(m.scale))
	if units > farthest {
		return nil
	}
	m.track.shownTo = start + int64(units)
	m.track.slack = int64(m.trackScale/m.scale) + 1
	return nil
}

// checkIndex compares the sizes in an index with the file.
func (m *movie) checkIndex(index box) error {
	f := fields{rest: index.body}
	version, _ := f.version()
	f.take(8)
	f.wide(version)
	end := f.wide(version)
	f.take(2)
	for range f.u16() {
		end += uint64(f.u32() &^ (1 << 31))
		f.take(8)
	}
	// Offsets are relative to the index's end.
	if room := len(m.data) - index.end; f.short || end > uint64(room) {
		return endsEarly(MP4)
	}
	return nil
}
