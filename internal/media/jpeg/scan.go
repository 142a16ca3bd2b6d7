package jpeg

// scan is the header of a scan.
type scan struct {
	count int
	// components are indices into those of the frame; direct and alternating are their Huffman
	// tables for DC and AC coefficients.
	components          [4]int
	direct, alternating [4]byte
	// first and last are the coefficients of the scan; high and low are the bits that earlier scans
	// and this one leave out. A sequential scan has all of them.
	first, last int
	high, low   uint
}

// readScan reads the header of a scan.
func (f *frame) readScan(body []byte) (s scan, err error) {
	if len(body) < 4 || len(body) != 4+2*int(body[0]) || body[0] < 1 || body[0] > 4 {
		return s, malformed("the JPEG does not decode: a scan header of %d bytes", len(body))
	}
	if f.components == nil {
		return s, malformed("the JPEG does not decode: it has a scan before its frame")
	}
	s = scan{count: int(body[0]), last: 63}
	for i := range s.count {
		id, tables := body[1+2*i], body[2+2*i]
		if s.components[i], err = f.find(id, s.components[:i]); err != nil {
			return s, err
		}
		s.direct[i], s.alternating[i] = tables>>4, tables&15
		if s.direct[i] > 3 || s.alternating[i] > 3 {
			return s, malformed("the JPEG does not decode: component %d names Huffman tables %d and %d", id, s.direct[i], s.alternating[i])
		}
	}
	if !f.progressive {
		return s, nil
	}
	tail := body[len(body)-3:]
	s.first, s.last, s.high, s.low = int(tail[0]), int(tail[1]), uint(tail[2]>>4), uint(tail[2]&15)
	direct, refines := s.first == 0, s.high != 0
	if s.last > 63 || s.first > s.last || direct && s.last != 0 || !direct && s.count != 1 || s.low > 13 || refines && s.low != s.high-1 {
		return s, malformed("the JPEG does not decode: a progressive scan of coefficients %d to %d, of bits %d to %d, and %d components",
			s.first, s.last, s.high, s.low, s.count)
	}
	return s, nil
}

// find returns the component with a number, which the scan must not have named before.
func (f *frame) find(id byte, before []int) (int, error) {
	for i := range f.components {
		if f.components[i].id != id {
			continue
		}
		for _, named := range before {
			if named == i {
				return 0, malformed("the JPEG does not decode: a scan names component %d twice", id)
			}
		}
		return i, nil
	}
	return 0, malformed("the JPEG does not decode: a scan names component %d, which does not exist", id)
}

// band returns a bit for each coefficient of the scan.
func (s *scan) band() uint64 { return (2<<s.last - 1) &^ (1<<s.first - 1) }
