package sound

import "math"

// Limits of a setup header. Encoders are known to use 6,561 entries in one codebook, 12,000 in all,
// and 64,000 values. In the worst case the decoder's time grows with the square of a codebook's
// entries.
const (
	vorbisEntries = 1 << 14 // of one codebook
	vorbisSquares = 1 << 28 // of the entries of each, together
	vorbisValues  = 1 << 20 // of all codebooks together
)

// vorbisSetup is what later parts of a setup header refer to.
type vorbisSetup struct {
	lowBits
	books   []vorbisBook
	values  int
	squares int
	floors  int
	// gaps are positions in bits where a floor of no parts leaves out the class that the decoder
	// reads all the same.
	gaps     []int
	residues int
	mappings int
}

type vorbisBook struct {
	dimensions int
	vectors    bool
}

// checkVorbisSetup parses a setup header, and refuses one that is unsafe for the decoder or that it
// decodes incorrectly. It returns the header in the form that the decoder reads correctly.
func checkVorbisSetup(data []byte, channels int) ([]byte, error) {
	s := &vorbisSetup{lowBits: lowBits{data: data}}
	parts := []struct {
		name  string
		check func() string
	}{
		{"codebooks", s.checkBooks},
		{"times", s.checkTimes},
		{"floors", s.checkFloors},
		{"residues", s.checkResidues},
		{"mappings", func() string { return s.checkMappings(channels) }},
		{"modes", s.checkModes},
	}
	for _, part := range parts {
		problem := part.check()
		switch {
		case s.over():
			return nil, malformed("the setup of the Vorbis stream ends early, in its %s", part.name)
		case problem == notDecoded:
			return nil, unsupported("the %s of the Vorbis stream are of a kind that is not decoded here", part.name)
		case problem != "":
			return nil, malformed("the %s of the Vorbis stream are invalid: %s", part.name, problem)
		}
	}
	return s.filled(), nil
}

// filled returns the header with an unused class, 13 zeroes, in each gap.
func (s *vorbisSetup) filled() []byte {
	const class = 13
	if len(s.gaps) == 0 {
		return s.data
	}
	filled := make([]byte, len(s.data)+class*len(s.gaps)/8+1)
	r, to, gaps := lowBits{data: s.data}, 0, s.gaps
	for ; !r.over(); to++ {
		if len(gaps) > 0 && r.position == gaps[0] {
			gaps = gaps[1:]
			to += class
		}
		if r.read(1) == 1 {
			filled[to/8] |= 1 << (to % 8)
		}
	}
	return filled
}

const (
	notDecoded    = "not decoded"
	outOfRange    = "one refers to something that does not exist"
	badCodewords  = "the codewords are too many or too few"
	badSizes      = "a size is impossible"
	badSignatures = "a signature is missing"
)

func (s *vorbisSetup) checkBooks() string {
	for range s.read(8) + 1 {
		if problem := s.checkBook(); problem != "" || s.over() {
			return problem
		}
	}
	return ""
}

func (s *vorbisSetup) checkBook() string {
	if s.read(24) != 0x564342 {
		return badSignatures
	}
	dimensions, entries := s.read(16), s.read(24)
	if dimensions == 0 || entries == 0 {
		return badSizes
	}
	if entries == 1 || entries > vorbisEntries {
		return notDecoded
	}
	if s.squares += entries * entries; s.squares > vorbisSquares {
		return notDecoded
	}
	if problem := s.checkCodewords(entries); problem != "" {
		return problem
	}
	kind := s.read(4)
	if kind > 2 {
		return badSizes
	}
	if kind > 0 {
		s.read(32)
		s.read(32)
		width := s.read(4) + 1
		s.read(1)
		if dimensions > vorbisValues/entries {
			return notDecoded
		}
		count := entries * dimensions
		if s.values += count; s.values > vorbisValues {
			return notDecoded
		}
		if kind == 1 {
			var exact bool
			if count, exact = latticeSide(entries, dimensions); !exact {
				return notDecoded
			}
		}
		s.position += count * width
	}
	s.books = append(s.books, vorbisBook{dimensions, kind > 0})
	return ""
}

// checkCodewords requires a complete prefix code, or a single codeword: with any other code the
// decoder may search forever.
func (s *vorbisSetup) checkCodewords(entries int) string {
	const whole = 1 << 32
	used, sum := 0, int64(0)
	if s.read(1) == 0 {
		sparse := s.read(1) == 1
		for range entries {
			if s.over() {
				return ""
			}
			if !sparse || s.read(1) == 1 {
				used++
				sum += int64(whole) >> (s.read(5) + 1)
			}
		}
	} else {
		for length := s.read(5) + 1; used < entries; length++ {
			count := s.read(bitLength(entries - used))
			if count > entries-used || length > 32 {
				return badCodewords
			}
			used += count
			sum += int64(count) * (whole >> length)
		}
	}
	switch {
	case used == 0:
		return notDecoded
	case used > 1 && sum != whole:
		return badCodewords
	}
	return ""
}

// latticeSide returns the largest number whose power by dimensions is within entries, and whether
// the decoder, which computes a root in floating point, finds the same.
func latticeSide(entries, dimensions int) (side int, exact bool) {
	for {
		power := 1
		for range dimensions {
			if power *= side + 1; power > entries {
				root := math.Floor(math.Pow(float64(entries), 1/float64(dimensions)))
				return side, side == int(root)
			}
		}
		side++
	}
}

func (s *vorbisSetup) checkTimes() string {
	for range s.read(6) + 1 {
		if s.read(16) != 0 {
			return badSignatures
		}
	}
	return ""
}

func (s *vorbisSetup) checkFloors() string {
	s.floors = s.read(6) + 1
	for range s.floors {
		switch s.read(16) {
		case 0:
			return notDecoded // the decoder gives something else than its curve
		case 1:
			if problem := s.checkFloor(); problem != "" {
				return problem
			}
		default:
			return badSignatures
		}
	}
	return ""
}

func (s *vorbisSetup) checkFloor() string {
	classes := make([]int, s.read(5))
	if len(classes) == 0 {
		s.gaps = append(s.gaps, s.position)
	}
	highest := -1
	for i := range classes {
		classes[i] = s.read(4)
		highest = max(highest, classes[i])
	}
	var dimensions [16]int
	for class := range highest + 1 {
		dimensions[class] = s.read(3) + 1
		subclasses := s.read(2)
		if subclasses > 0 && s.read(8) >= len(s.books) {
			return outOfRange
		}
		for range 1 << subclasses {
			if s.read(8) > len(s.books) {
				return outOfRange
			}
		}
	}
	s.read(2)
	width := s.read(4)
	seen := map[int]bool{0: true, 1 << width: true}
	for _, class := range classes {
		for range dimensions[class] {
			x := s.read(width)
			if seen[x] || len(seen) > 65 {
				return badSizes
			}
			seen[x] = true
		}
	}
	return ""
}

func (s *vorbisSetup) checkResidues() string {
	s.residues = s.read(6) + 1
	for range s.residues {
		kind := s.read(16)
		begin, end := s.read(24), s.read(24)
		partition, classes := s.read(24)+1, s.read(6)+1
		if kind > 2 || begin > end {
			return badSizes
		}
		if s.read(8) >= len(s.books) {
			return outOfRange
		}
		stages := 0
		for range classes {
			cascade := s.read(3)
			if s.read(1) == 1 {
				cascade |= s.read(5) << 3
			}
			for ; cascade > 0; cascade &= cascade - 1 {
				stages++
			}
		}
		for range stages {
			book := s.read(8)
			if book >= len(s.books) || !s.books[book].vectors {
				return outOfRange
			}
			if partition%s.books[book].dimensions != 0 {
				return badSizes
			}
		}
	}
	return ""
}

func (s *vorbisSetup) checkMappings(channels int) string {
	s.mappings = s.read(6) + 1
	for range s.mappings {
		if s.read(16) != 0 {
			return badSignatures
		}
		submaps := 1
		if s.read(1) == 1 {
			submaps = s.read(4) + 1
		}
		if s.read(1) == 1 {
			width := bitLength(channels - 1)
			for range s.read(8) + 1 {
				magnitude, angle := s.read(width), s.read(width)
				if magnitude == angle || magnitude >= channels || angle >= channels {
					return outOfRange
				}
			}
		}
		if s.read(2) != 0 {
			return badSignatures
		}
		if submaps > 1 {
			for range channels {
				if s.read(4) >= submaps {
					return outOfRange
				}
			}
		}
		for range submaps {
			s.read(8)
			if s.read(8) >= s.floors || s.read(8) >= s.residues {
				return outOfRange
			}
		}
	}
	return ""
}

func (s *vorbisSetup) checkModes() string {
	for range s.read(6) + 1 {
		s.read(1)
		if s.read(32) != 0 {
			return badSignatures
		}
		if s.read(8) >= s.mappings {
			return outOfRange
		}
	}
	if s.read(1) != 1 {
		return badSignatures
	}
	return ""
}
