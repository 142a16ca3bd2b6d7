package sound

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
)

// FuzzSubframe fuzzes subframes directly, since FLAC's checksums reject every changed byte.
func FuzzSubframe(f *testing.F) {
	f.Add([]byte{0x00, 0x55, 0x55}, uint8(16), uint16(192))
	f.Add([]byte{0x02, 1, 2, 3, 4, 5, 6, 7, 8}, uint8(8), uint16(8))
	f.Add([]byte{0x14, 1, 2, 3, 4, 0x10, 0x92, 0x49, 0x24, 0x92}, uint8(12), uint16(16))
	f.Add([]byte{0x42, 0, 1, 0, 2, 0x31, 0x41, 0x80, 0x92, 0x49, 0x24, 0x92, 0x49, 0x24}, uint8(16), uint16(32))
	f.Fuzz(func(t *testing.T, data []byte, width uint8, count uint16) {
		stream := &flacStream{data: data}
		err := stream.subframe(&bitReader{data: data}, make([]int64, int(count)+1), 4+int(width)%30)
		if err != nil {
			require.ErrorIs(t, err, errors.ErrMalformed)
		}
	})
}

func TestSplitOpus(t *testing.T) {
	// Each case is one self-delimiting packet of RFC 6716, appendix B, what it is without its extra
	// length, and two bytes that follow.
	long := make([]byte, 300)
	cases := map[string]struct{ packet, want []byte }{
		"one frame":                     {[]byte{0x08, 3, 'a', 'b', 'c'}, []byte{0x08, 'a', 'b', 'c'}},
		"one frame of nothing":          {[]byte{0x08, 0}, []byte{0x08}},
		"one long frame":                {append([]byte{0x08, 252, 12}, long...), append([]byte{0x08}, long...)},
		"two equal frames":              {[]byte{0x09, 2, 'a', 'b', 'c', 'd'}, []byte{0x09, 'a', 'b', 'c', 'd'}},
		"two frames":                    {[]byte{0x0A, 1, 2, 'a', 'b', 'c'}, []byte{0x0A, 1, 'a', 'b', 'c'}},
		"three equal frames":            {[]byte{0x0B, 3, 1, 'a', 'b', 'c'}, []byte{0x0B, 3, 'a', 'b', 'c'}},
		"three equal frames, padded":    {[]byte{0x0B, 0x43, 2, 1, 'a', 'b', 'c', 0, 0}, []byte{0x0B, 0x43, 2, 'a', 'b', 'c', 0, 0}},
		"three frames":                  {[]byte{0x0B, 0x83, 1, 0, 2, 'a', 'b', 'c'}, []byte{0x0B, 0x83, 1, 0, 'a', 'b', 'c'}},
		"two frames, padded by 254 + 1": {append([]byte{0x0B, 0xC2, 255, 1, 1, 1, 'a', 'b'}, long[:255]...), append([]byte{0x0B, 0xC2, 255, 1, 1, 'a', 'b'}, long[:255]...)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			packet, rest, ok := splitOpus(append(append([]byte{}, c.packet...), 'x', 'y'))
			require.True(t, ok)
			require.Equal(t, c.want, packet)
			require.Equal(t, "xy", string(rest))
			for length := range c.packet {
				_, _, ok := splitOpus(c.packet[:length])
				require.False(t, ok, "cut to %d bytes", length)
			}
		})
	}
	_, _, ok := splitOpus([]byte{0x0B, 0, 1, 'a'})
	require.False(t, ok, "no frames")
}

// Every Huffman code must use up all codewords, and give each of its symbols once.
func TestPrefixCodes(t *testing.T) {
	sizes := map[int]int{1: 4, 2: 9, 3: 9, 5: 16, 6: 16, 7: 36, 8: 36, 9: 36, 10: 64, 11: 64, 12: 64, 13: 256, 15: 256, 16: 256, 24: 256, 32: 16}
	for table, leaves := range mp3Codes {
		size := sizes[table]
		if size == 0 {
			require.Empty(t, leaves)
			continue
		}
		require.Len(t, leaves, 3*size)
		sum, symbols, word := 0, map[int]bool{}, uint64(0)
		for at := 0; at < len(leaves); at += 3 {
			length := int(leaves[at]-'a') + 1
			sum += 1 << (24 - length)
			symbol, got := prefixCodes()[table].next(word << 40)
			require.Equal(t, length, got)
			require.False(t, symbols[symbol])
			symbols[symbol] = true
			last, got := prefixCodes()[table].next(word<<40 + 1<<(64-length) - 1)
			require.Equal(t, []int{symbol, length}, []int{last, got})
			word += 1 << (24 - length)
		}
		require.Equal(t, 1<<24, sum)
		require.Len(t, symbols, size)
	}
	for value := range uint64(16) {
		symbol, length := prefixCodes()[33].next(value << 60)
		require.Equal(t, []int{int(15 - value), 4}, []int{symbol, length})
	}
}
