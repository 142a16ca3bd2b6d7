package clip

import "encoding/binary"

// fields reads the fields of a header one after another, most significant byte first. After the end
// it reads zeroes, and short is set.
type fields struct {
	rest  []byte
	short bool
}

// take returns the next n bytes, nil after the end.
func (f *fields) take(n int) []byte {
	if n < 0 || n > len(f.rest) {
		f.rest, f.short = nil, true
		return nil
	}
	part := f.rest[:n:n]
	f.rest = f.rest[n:]
	return part
}

func (f *fields) u8() uint8 {
	if part := f.take(1); part != nil {
		return part[0]
	}
	return 0
}

func (f *fields) u16() uint16 {
	if part := f.take(2); part != nil {
		return binary.BigEndian.Uint16(part)
	}
	return 0
}

func (f *fields) u32() uint32 {
	if part := f.take(4); part != nil {
		return binary.BigEndian.Uint32(part)
	}
	return 0
}

func (f *fields) u64() uint64 {
	if part := f.take(8); part != nil {
		return binary.BigEndian.Uint64(part)
	}
	return 0
}

// wide returns a number of 64 bits in the second version of a box, and of 32 in the first.
func (f *fields) wide(version uint8) uint64 {
	if version > 0 {
		return f.u64()
	}
	return uint64(f.u32())
}

// version reads the version of a full box.
func (f *fields) version() (version uint8, flags uint32) {
	word := f.u32()
	return uint8(word >> 24), word & 0xFFFFFF
}
