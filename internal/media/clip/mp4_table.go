package clip

import "encoding/binary"

// readTables reads an stbl box: the samples that a track has outside of fragments.
func (m *movie) readTables(body []byte) error {
	found, err := children(body, "stsd", "stsz", "stz2", "stsc", "stco", "co64", "stts", "ctts", "stss")
	if err != nil {
		return err
	}
	descriptions := fields{rest: found["stsd"].body}
	descriptions.take(8)
	for entry, err := range boxes(descriptions.rest, false) {
		if err != nil {
			return err
		}
		m.entries = append(m.entries, entry)
	}
	sizes, err := m.readSizes(found["stsz"].body, found["stz2"].body)
	if err != nil || sizes.count == 0 {
		return err
	}
	m.track.samples = make([]sample, sizes.count)
	if err := m.place(sizes, found["stsc"].body, found["stco"].body, found["co64"].body); err != nil {
		return err
	}
	if err := m.schedule(found["stts"].body, found["ctts"].body); err != nil {
		return err
	}
	m.markKeys(found["stss"].body)
	return nil
}

// sampleSizes are the sizes of samples: one size for all, or a table with some bits per entry.
type sampleSizes struct {
	count, equal, bits int
	table              []byte
}

func (s *sampleSizes) at(i int) int {
	if s.table == nil {
		return s.equal
	}
	switch s.bits {
	case 4:
		return int(s.table[i/2] >> (4 - 4*(i%2)) & 15)
	case 8:
		return int(s.table[i])
	case 16:
		return int(binary.BigEndian.Uint16(s.table[2*i:]))
	}
	return int(binary.BigEndian.Uint32(s.table[4*i:]))
}

// readSizes reads an stsz box or, if there is none, an stz2 box.
func (m *movie) readSizes(table, compact []byte) (*sampleSizes, error) {
	f, sizes := fields{rest: table}, &sampleSizes{bits: 32}
	f.u32()
	equal := f.u32()
	if table == nil && compact != nil {
		f, sizes.bits = fields{rest: compact}, int(compactBits(compact))
		f.take(8)
		equal = 0
	}
	count := f.u32()
	switch {
	case uint64(count) > uint64(m.limits.Samples):
		return nil, tooMany(MP4, m.limits.Samples)
	case uint64(equal) > uint64(len(m.data)) && count > 0:
		return nil, endsEarly(MP4)
	}
	sizes.count, sizes.equal = int(count), int(equal)
	if equal != 0 || count == 0 {
		return sizes, nil
	}
	if sizes.table = f.take((sizes.count*sizes.bits + 7) / 8); f.short || sizes.bits == 0 {
		return nil, malformed("the MP4 does not decode: the table of %d sample sizes is cut off", count)
	}
	return sizes, nil
}

// compactBits returns the bits of an entry in an stz2 box, zero if it is not one of the three valid
// values.
func compactBits(body []byte) uint8 {
	f := fields{rest: body}
	f.take(7)
	if width := f.u8(); width == 4 || width == 8 || width == 16 {
		return width
	}
	return 0
}

// place locates the samples. They lie in chunks; a table has the number of samples per chunk for
// each run of chunks.
func (m *movie) place(sizes *sampleSizes, runs, narrow, wide []byte) error {
	table, width := narrow, 4
	if table == nil {
		table, width = wide, 8
	}
	chunks := fields{rest: table}
	chunks.u32()
	count := chunks.u32()
	run := fields{rest: runs}
	run.u32()
	left := run.u32()
	var next, each, entry uint32
	if left > 0 {
		next = run.u32()
	}
	i := 0
	for chunk := uint32(1); chunk <= count && i < sizes.count && !chunks.short; chunk++ {
		if left > 0 && chunk >= next {
			each, entry = run.u32(), run.u32()
			if left--; left > 0 {
				next = run.u32()
			}
		}
		offset := uint64(0)
		if width == 4 {
			offset = uint64(chunks.u32())
		} else {
			offset = chunks.u64()
		}
		for range min(each, uint32(sizes.count-i)) {
			size := sizes.at(i)
			data, err := m.slice(offset, size)
			if err != nil {
				return err
			}
			if err := m.describedBy(entry); err != nil {
				return err
			}
			m.track.samples[i].data = data
			offset += uint64(size)
			i++
		}
	}
	if i < sizes.count || chunks.short || run.short {
		return malformed("the MP4 does not decode: it has %d samples, and offsets for %d", sizes.count, i)
	}
	return nil
}

// slice returns a part of the file, or the error that the file ends early.
func (m *movie) slice(offset uint64, size int) ([]byte, error) {
	if offset > uint64(len(m.data)) || uint64(size) > uint64(len(m.data))-offset {
		return nil, endsEarly(MP4)
	}
	end := offset + uint64(size)
	return m.data[offset:end:end], nil
}

// describedBy records the description of a sample, which all samples must share.
func (m *movie) describedBy(entry uint32) error {
	if m.entry == 0 {
		m.entry = entry
	}
	if entry != m.entry {
		return unsupported("the MP4 changes its codec, or the parameters of it, on the way: encode it anew")
	}
	return nil
}

// schedule sets when samples are shown: the time between decoding them, and the offset from
// decoding to presentation.
func (m *movie) schedule(durations, offsets []byte) error {
	f := fields{rest: durations}
	f.u32()
	i, at := 0, int64(0)
	for range f.u32() {
		count, duration := f.u32(), int64(f.u32())
		if f.short || i == len(m.track.samples) {
			break
		}
		for range min(count, uint32(len(m.track.samples)-i)) {
			s := &m.track.samples[i]
			s.start, s.duration = at, duration
			at += duration
			i++
		}
	}
	if i < len(m.track.samples) {
		return malformed("the MP4 does not decode: it has %d samples, and times for %d", len(m.track.samples), i)
	}
	m.time = at
	f = fields{rest: offsets}
	f.u32()
	i = 0
	for range f.u32() {
		count, offset := f.u32(), int64(int32(f.u32()))
		if f.short || i == len(m.track.samples) {
			break
		}
		for range min(count, uint32(len(m.track.samples)-i)) {
			m.track.samples[i].start += offset
			i++
		}
	}
	if offsets != nil && i < len(m.track.samples) {
		return malformed("the MP4 does not decode: it has %d samples, and presentation offsets for %d", len(m.track.samples), i)
	}
	return nil
}

// markKeys reads which samples are keys. Without a table, all are.
func (m *movie) markKeys(table []byte) {
	if table == nil {
		for i := range m.track.samples {
			m.track.samples[i].key = true
		}
		return
	}
	f := fields{rest: table}
	f.u32()
	for range f.u32() {
		number := f.u32()
		if f.short {
			return
		}
		if number >= 1 && uint64(number) <= uint64(len(m.track.samples)) {
			m.track.samples[number-1].key = true
		}
	}
}
