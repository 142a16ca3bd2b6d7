package clip

import "encoding/binary"

// readTables reads a stbl: what samples a track has outside of fragments.
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
	if err != nil {
		return err
	}
	if sizes.count == 0 {
		return nil
	}
	m.track.samples = make([]sample, sizes.count)
	if err := m.place(sizes, found["stsc"].body, found["stco"].body, found["co64"].body); err != nil {
		return err
	}
	if err := m.time1(found["stts"].body, found["ctts"].body); err != nil {
		return err
	}
	m.markKeys(found["stss"])
	return nil
}
