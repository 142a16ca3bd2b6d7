package hostile_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
)

// mutator makes invalid inputs from valid ones.
type mutator struct {
	random  *rand.Rand
	samples [][]byte
	// seal corrects the checksums and lengths of an input, so that a change gets past them; nil for
	// none.
	seal func([]byte) []byte
	// edit is a change that knows the format; nil for none.
	edit func(*rand.Rand, []byte) []byte
}

// next returns the next input.
func (m *mutator) next() []byte {
	data := bytes.Clone(m.pick())
	for range 1 + m.random.IntN(4) {
		if m.edit != nil && m.random.IntN(2) == 0 {
			data = m.edit(m.random, data)
		} else {
			data = m.change(data)
		}
	}
	if m.seal != nil && m.random.IntN(4) > 0 {
		data = m.seal(data)
	}
	return data
}

func (m *mutator) pick() []byte { return m.samples[m.random.IntN(len(m.samples))] }

// place returns an index into data, often near its beginning, where headers are.
func (m *mutator) place(data []byte) int {
	if m.random.IntN(2) == 0 {
		return m.random.IntN(min(len(data), 64))
	}
	return m.random.IntN(len(data))
}

// change makes one change that knows no format.
func (m *mutator) change(data []byte) []byte {
	if len(data) == 0 {
		return bytes.Clone(m.pick())
	}
	at := m.place(data)
	switch m.random.IntN(9) {
	case 0:
		data[at] ^= 1 << m.random.IntN(8)
	case 1:
		data[at] = byte(m.random.Uint32())
	case 2:
		return data[:at] // cut short
	case 3: // the end of another
		other := m.pick()
		return append(data[:at:at], other[m.random.IntN(len(other)):]...)
	case 4: // a piece is removed
		return append(data[:at:at], data[at+m.random.IntN(len(data)-at):]...)
	case 5: // a piece is repeated
		end := at + m.random.IntN(min(len(data)-at, 1<<12))
		return append(data[:end:end], data[at:]...)
	case 6: // a piece is filled with one byte
		fill := [3]byte{0, 0xFF, byte(m.random.Uint32())}[m.random.IntN(3)]
		for i := range data[at:min(len(data), at+1+m.random.IntN(64))] {
			data[at+i] = fill
		}
	default:
		m.lie(data[at:])
	}
	return data
}

// lie writes a wrong length.
func (m *mutator) lie(at []byte) {
	size := uint64(len(at))
	lies := []uint64{
		0, 1, 2, size, size - 1, size + 1, 2 * size, math.MaxInt8, math.MaxUint8, math.MaxInt16, math.MaxUint16, 1 << 24, 1 << 28,
		math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 - 7, 1 << 40, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64, math.MaxUint64 - 7,
	}
	lie := lies[m.random.IntN(len(lies))]
	var order binary.ByteOrder = binary.LittleEndian
	if m.random.IntN(2) == 0 {
		order = binary.BigEndian
	}
	switch width := 1 << m.random.IntN(4); {
	case width > len(at):
	case width == 1:
		at[0] = byte(lie)
	case width == 2:
		order.PutUint16(at, uint16(lie))
	case width == 4:
		order.PutUint32(at, uint32(lie))
	default:
		order.PutUint64(at, lie)
	}
}

// sealPNG gives every chunk of a PNG its checksum.
func sealPNG(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) {
		return data
	}
	for at := 8; at+12 <= len(data); {
		size := int(binary.BigEndian.Uint32(data[at:]))
		if size > len(data)-at-12 {
			break
		}
		binary.BigEndian.PutUint32(data[at+8+size:], crc32.ChecksumIEEE(data[at+4:at+8+size]))
		at += 12 + size
	}
	return data
}

// sealOgg gives every page of an Ogg its checksum and its number.
func sealOgg(data []byte) []byte {
	for at, number := 0, uint32(0); at+27 <= len(data) && string(data[at:at+4]) == "OggS"; number++ {
		end := at + 27 + int(data[at+26])
		if end > len(data) {
			break
		}
		for _, segment := range data[at+27 : end] {
			end += int(segment)
		}
		if end > len(data) {
			break
		}
		page := data[at:end]
		binary.LittleEndian.PutUint32(page[18:], number)
		binary.LittleEndian.PutUint32(page[22:], 0)
		sum := uint32(0)
		for _, b := range page {
			sum ^= uint32(b) << 24
			for range 8 {
				sum = sum<<1 ^ sum>>31*0x04C11DB7
			}
		}
		binary.LittleEndian.PutUint32(page[22:], sum)
		at = end
	}
	return data
}

var (
	jsonNumber = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)
	jsonString = regexp.MustCompile(`\\?"[^"\\]*\\?"`)
	jsonMember = regexp.MustCompile(`,?\\?"[^"\\]*\\?":\s?(\\?"[^"\\]*\\?"|\[[^\[\]]*\]|\{[^{}]*\}|[^,{}\[\]]+)`)
)

// editCheckpoint changes the header of a checkpoint as JSON. The length of the header is correct
// afterwards, so that the rest of the file stays where it is.
func editCheckpoint(random *rand.Rand, data []byte) []byte {
	if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
		return data
	}
	size := binary.LittleEndian.Uint64(data)
	header, body := editJSON(random, data[8:8+size]), data[8+size:]
	return bytes.Join([][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header, body}, nil)
}

// editJSON changes a number or a string, or removes, repeats or moves a member.
func editJSON(random *rand.Rand, text []byte) []byte {
	one := func(pattern *regexp.Regexp) []int {
		found := pattern.FindAllIndex(text, -1)
		if len(found) == 0 {
			return []int{0, 0}
		}
		return found[random.IntN(len(found))]
	}
	replaced := func(at []int, with []byte) []byte {
		return bytes.Join([][]byte{text[:at[0]], with, text[at[1]:]}, nil)
	}
	switch random.IntN(6) {
	case 0, 1:
		at := one(jsonNumber)
		old, _ := strconv.ParseFloat(string(text[at[0]:at[1]]), 64)
		numbers := []string{
			"0", "-1", "1", "2", "3", "7", "255", "256", "1024", "8192", "65536", "65537", "1048576", "16777216", "2147483648", "4294967296",
			"9223372036854775807", "9223372036854775808", "1e308", "1e999", "-0", "0.5", "1e-320", "null", "true", `"1"`, "[]", "{}", "[1,2]",
			strconv.FormatInt(int64(old)+1, 10), strconv.FormatInt(int64(old)-1, 10), strconv.FormatInt(2*int64(old), 10), strconv.FormatInt(int64(old)/2, 10),
		}
		return replaced(at, []byte(numbers[random.IntN(len(numbers))]))
	case 2: // a string is replaced by another of the text
		from := one(jsonString)
		return replaced(one(jsonString), text[from[0]:from[1]])
	case 3:
		return replaced(one(jsonMember), nil)
	case 4:
		at := one(jsonMember)
		return replaced([]int{at[1], at[1]}, text[at[0]:at[1]])
	default:
		from, to := one(jsonMember), one(jsonMember)
		return replaced([]int{to[0], to[0]}, text[from[0]:from[1]])
	}
}
