package clip

// defaults are the fields that a fragment may leave out of its samples.
type defaults struct {
	entry, duration, size, flags uint32
}

// The flags of the boxes of a fragment, by the names of the standard.
const (
	baseDataOffset    = 0x000001
	descriptionIndex  = 0x000002
	defaultDuration   = 0x000008
	defaultSize       = 0x000010
	defaultFlags      = 0x000020
	durationIsEmpty   = 0x010000
	defaultBaseIsMoof = 0x020000

	runDataOffset  = 0x000001
	runFirstFlags  = 0x000004
	runDuration    = 0x000100
	runSize        = 0x000200
	runFlags       = 0x000400
	runComposition = 0x000800

	sampleIsNoKey = 0x010000
)

// readDefaults reads a mvex box.
func (m *movie) readDefaults(body []byte) error {
	m.defaults = map[uint32]defaults{}
	for part, err := range boxes(body, false) {
		if err != nil {
			return err
		}
		if part.kind != "trex" {
			continue
		}
		f := fields{rest: part.body}
		f.u32()
		m.defaults[f.u32()] = defaults{f.u32(), f.u32(), f.u32(), f.u32()}
	}
	return nil
}

// fragment reads a moof box: more samples of each track.
func (m *movie) fragment(moof box) error {
	// The data of a track's samples is located relative to the fragment, or to the end of the data
	// of the track before, so all tracks are read.
	end := uint64(moof.start)
	for part, err := range boxes(moof.body, false) {
		if err != nil {
			return err
		}
		if part.kind != "traf" {
			continue
		}
		if end, err = m.trackFragment(part.body, uint64(moof.start), end); err != nil {
			return err
		}
	}
	return nil
}

// trackFragment reads a traf box. It returns the offset where its samples end.
func (m *movie) trackFragment(body []byte, moof, base uint64) (uint64, error) {
	found, err := children(body, "tfhd", "tfdt")
	if err != nil {
		return 0, err
	}
	f := fields{rest: found["tfhd"].body}
	_, flags := f.version()
	id := f.u32()
	implied := m.defaults[id]
	switch {
	case flags&baseDataOffset != 0:
		base = f.u64()
	case flags&defaultBaseIsMoof != 0:
		base = moof
	}
	for _, field := range []struct {
		flag  uint32
		value *uint32
	}{
		{descriptionIndex, &implied.entry}, {defaultDuration, &implied.duration},
		{defaultSize, &implied.size}, {defaultFlags, &implied.flags},
	} {
		if flags&field.flag != 0 {
			*field.value = f.u32()
		}
	}
	if f.short {
		return 0, malformed("the MP4 does not decode: the header of a fragment is cut off")
	}
	if decoded := found["tfdt"].body; decoded != nil && id == m.id {
		f = fields{rest: decoded}
		version, _ := f.version()
		at := f.wide(version)
		if f.short || at > farthest {
			return 0, malformed("the MP4 does not decode: a fragment begins at %d", at)
		}
		m.time = int64(at)
	}
	end := base
	for part, err := range boxes(body, false) {
		if err != nil {
			return 0, err
		}
		if part.kind != "trun" || flags&durationIsEmpty != 0 {
			continue
		}
		if end, err = m.run(part.body, implied, base, end, id == m.id); err != nil {
			return 0, err
		}
	}
	return end, nil
}

// run reads a trun box: samples that lie end to end. It returns the offset where they end.
func (m *movie) run(body []byte, implied defaults, base, at uint64, ours bool) (uint64, error) {
	f := fields{rest: body}
	_, flags := f.version()
	count := f.u32()
	if flags&runDataOffset != 0 {
		at = base + uint64(int64(int32(f.u32())))
	}
	firstFlags := implied.flags
	if flags&runFirstFlags != 0 {
		firstFlags = f.u32()
	}
	if !ours && flags&runSize == 0 {
		return at + uint64(count)*uint64(implied.size), nil
	}
	if ours && uint64(count)+uint64(len(m.track.samples)) > uint64(m.limits.Samples) {
		return 0, tooMany(MP4, m.limits.Samples)
	}
	for i := range count {
		s := implied
		if i == 0 {
			s.flags = firstFlags
		}
		if flags&runDuration != 0 {
			s.duration = f.u32()
		}
		if flags&runSize != 0 {
			s.size = f.u32()
		}
		if flags&runFlags != 0 {
			s.flags = f.u32()
		}
		offset := int32(0)
		if flags&runComposition != 0 {
			offset = int32(f.u32())
		}
		if f.short {
			return 0, malformed("the MP4 does not decode: a fragment declares %d samples, and has entries for %d", count, i)
		}
		if ours {
			if err := m.add(s, at, offset); err != nil {
				return 0, err
			}
		}
		at += uint64(s.size)
	}
	return at, nil
}

// add adds a sample of a fragment to the track.
func (m *movie) add(s defaults, at uint64, offset int32) error {
	if uint64(s.size) > uint64(len(m.data)) {
		return endsEarly(MP4)
	}
	data, err := m.slice(at, int(s.size))
	if err != nil {
		return err
	}
	if err := m.describedBy(s.entry); err != nil {
		return err
	}
	m.track.samples = append(m.track.samples, sample{
		data: data, start: m.time + int64(offset), duration: int64(s.duration), key: s.flags&sampleIsNoKey == 0,
	})
	m.time += int64(s.duration)
	return nil
}
