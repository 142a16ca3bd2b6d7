package sound

import "sync"

// Checksums are remainders of polynomials, computed from the highest bit down, without inversions:
// x⁸+x²+x+1 and x¹⁶+x¹⁵+x²+1 in FLAC, x³²+x²⁶+x²³+x²²+x¹⁶+x¹²+x¹¹+x¹⁰+x⁸+x⁷+x⁵+x⁴+x²+x+1 in Ogg.
var (
	table8  = sync.OnceValue(func() *[256]uint32 { return remainders(0x07 << 24) })
	table16 = sync.OnceValue(func() *[256]uint32 { return remainders(0x8005 << 16) })
	table32 = sync.OnceValue(func() *[256]uint32 { return remainders(0x04C11DB7) })
)

func remainders(polynomial uint32) *[256]uint32 {
	table := new([256]uint32)
	for i := range table {
		remainder := uint32(i) << 24
		for range 8 {
			carry := remainder >> 31
			remainder = remainder<<1 ^ carry*polynomial
		}
		table[i] = remainder
	}
	return table
}

// checksum continues from sum, which is 0 at first. The sum is in the upper bits, as the polynomial
// is.
func checksum(table *[256]uint32, sum uint32, data []byte) uint32 {
	for _, b := range data {
		sum = sum<<8 ^ table[byte(sum>>24)^b]
	}
	return sum
}

func checksum8(data []byte) uint8   { return uint8(checksum(table8(), 0, data) >> 24) }
func checksum16(data []byte) uint16 { return uint16(checksum(table16(), 0, data) >> 16) }
