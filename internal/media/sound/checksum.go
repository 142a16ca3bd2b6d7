package sound

import (
	"encoding/binary"
	"sync"
)

// Checksums are remainders of polynomials, computed from the highest bit down, without inversions:
// x⁸+x²+x+1 and x¹⁶+x¹⁵+x²+1 in FLAC, x³²+x²⁶+x²³+x²²+x¹⁶+x¹²+x¹¹+x¹⁰+x⁸+x⁷+x⁵+x⁴+x²+x+1 in Ogg.
var (
	table8  = sync.OnceValue(func() *remainders { return newRemainders(0x07 << 24) })
	table16 = sync.OnceValue(func() *remainders { return newRemainders(0x8005 << 16) })
	table32 = sync.OnceValue(func() *remainders { return newRemainders(0x04C11DB7) })
)

// remainders are those of a byte that is followed by 0 … 7 zero bytes.
type remainders [8][256]uint32

func newRemainders(polynomial uint32) *remainders {
	tables := new(remainders)
	for i := range tables[0] {
		remainder := uint32(i) << 24
		for range 8 {
			carry := remainder >> 31
			remainder = remainder<<1 ^ carry*polynomial
		}
		tables[0][i] = remainder
	}
	for following := range len(tables) - 1 {
		for i, remainder := range tables[following] {
			tables[following+1][i] = remainder<<8 ^ tables[0][remainder>>24]
		}
	}
	return tables
}

// checksum continues from sum, which is 0 at first. The sum is in the upper bits, as the polynomial
// is.
func checksum(tables *remainders, sum uint32, data []byte) uint32 {
	for len(data) >= 8 {
		v := uint64(sum)<<32 ^ binary.BigEndian.Uint64(data)
		sum = tables[7][v>>56] ^ tables[6][v>>48&255] ^ tables[5][v>>40&255] ^ tables[4][v>>32&255] ^
			tables[3][v>>24&255] ^ tables[2][v>>16&255] ^ tables[1][v>>8&255] ^ tables[0][v&255]
		data = data[8:]
	}
	for _, b := range data {
		sum = sum<<8 ^ tables[0][byte(sum>>24)^b]
	}
	return sum
}

func checksum8(data []byte) uint8   { return uint8(checksum(table8(), 0, data) >> 24) }
func checksum16(data []byte) uint16 { return uint16(checksum(table16(), 0, data) >> 16) }
