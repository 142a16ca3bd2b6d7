package sound_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// bitWriter writes from the highest bit of each byte down.
type bitWriter struct {
	data []byte
	bits int
}

func (w *bitWriter) write(value int64, count int) {
	for count--; count >= 0; count-- {
		if w.bits%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.bits/8] |= byte(value>>count&1) << (7 - w.bits%8)
		w.bits++
	}
}

// remainder returns a checksum, bit by bit.
func remainder(data []byte, polynomial uint32, width int) uint32 {
	var sum uint32
	for _, b := range data {
		for bit := 7; bit >= 0; bit-- {
			carry := sum>>(width-1)&1 ^ uint32(b>>bit)&1
			sum = sum << 1 & (1<<width - 1)
			if carry == 1 {
				sum ^= polynomial
			}
		}
	}
	return sum
}

// flacHeader returns the start of a file of one metadata block.
func flacHeader(rate, channels, bits int, total int64) []byte {
	w := &bitWriter{data: []byte("fLaC\x80\x00\x00\x22"), bits: 64}
	w.write(16, 16)
	w.write(65535, 16)
	w.write(0, 48)
	w.write(int64(rate), 20)
	w.write(int64(channels-1), 3)
	w.write(int64(bits-1), 5)
	w.write(total, 36)
	return append(w.data, make([]byte, 16)...)
}

// flacFrame returns a frame of samples as they are. bitsCode is the header's word for bits.
func flacFrame(number, bits, bitsCode int, channels ...[]int64) []byte {
	w := &bitWriter{}
	w.write(0xFFF8, 16)
	w.write(7, 4)
	w.write(0, 4)
	w.write(int64(len(channels)-1), 4)
	w.write(int64(bitsCode), 3)
	w.write(0, 1)
	w.write(int64(number), 8)
	w.write(int64(len(channels[0])-1), 16)
	w.write(int64(remainder(w.data, 0x07, 8)), 8)
	for _, samples := range channels {
		w.write(1<<1, 8)
		for _, sample := range samples {
			w.write(sample, bits)
		}
	}
	return binary.BigEndian.AppendUint16(w.data, uint16(remainder(w.data, 0x8005, 16)))
}

func TestFLACOfAnyDepth(t *testing.T) {
	codes := map[int]int{8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7}
	for bits := 4; bits <= 32; bits++ {
		full := int64(1) << (bits - 1)
		samples := []int64{-full, full - 1, 0, 1, -1, full / 2}
		for _, code := range []int{0, codes[bits]} {
			t.Run(fmt.Sprintf("%d bits, code %d", bits, code), func(t *testing.T) {
				got := decoded(t, concat(flacHeader(44100, 1, bits, 6), flacFrame(0, bits, code, samples)))
				require.Equal(t, 44100, got.Rate)
				for i, sample := range samples {
					require.Equal(t, float32(float64(sample)/float64(full)), got.Samples[i])
				}
			})
		}
	}
}

func TestFLACFrames(t *testing.T) {
	long := make([]int64, 65536)
	long[65535] = 64
	short := func(n int) []int64 { return make([]int64, n) }
	cases := map[string]struct {
		file []byte
		want int // samples, or −1 for malformed, −2 for unsupported
	}{
		"the longest block":              {concat(flacHeader(8000, 1, 8, 65536), flacFrame(0, 8, 1, long)), 65536},
		"a block of one sample":          {concat(flacHeader(8000, 1, 8, 1), flacFrame(0, 8, 1, short(1))), 1},
		"eight channels":                 {concat(flacHeader(8000, 8, 8, 2), flacFrame(0, 8, 0, short(2), short(2), short(2), short(2), short(2), short(2), short(2), short(2))), 2},
		"frames in order":                {concat(flacHeader(8000, 1, 8, 48), flacFrame(0, 8, 1, short(32)), flacFrame(1, 8, 1, short(16))), 48},
		"cut from a longer stream":       {concat(flacHeader(8000, 1, 8, 0), flacFrame(7, 8, 1, short(32)), flacFrame(8, 8, 1, short(16))), 48},
		"no frames and no total":         {flacHeader(8000, 1, 8, 0), 0},
		"an ID3v1 tag behind, no total":  {concat(flacHeader(8000, 1, 8, 0), flacFrame(0, 8, 1, short(32)), []byte("TAG"), make([]byte, 125)), 32},
		"junk behind the total":          {concat(flacHeader(8000, 1, 8, 32), flacFrame(0, 8, 1, short(32)), []byte("junk")), 32},
		"junk behind, no total":          {concat(flacHeader(8000, 1, 8, 0), flacFrame(0, 8, 1, short(32)), []byte("junk, a lot of it")), -1},
		"a missing frame in the middle":  {concat(flacHeader(8000, 1, 8, 64), flacFrame(0, 8, 1, short(32)), flacFrame(2, 8, 1, short(32))), -1},
		"a missing frame at the end":     {concat(flacHeader(8000, 1, 8, 64), flacFrame(0, 8, 1, short(32))), -1},
		"a frame twice":                  {concat(flacHeader(8000, 1, 8, 64), flacFrame(0, 8, 1, short(32)), flacFrame(0, 8, 1, short(32))), -1},
		"more than the total":            {concat(flacHeader(8000, 1, 8, 31), flacFrame(0, 8, 1, short(32))), -1},
		"a frame behind the total":       {concat(flacHeader(8000, 1, 8, 32), flacFrame(0, 8, 1, short(32)), flacFrame(1, 8, 1, short(32))), -1},
		"three bits":                     {concat(flacHeader(8000, 1, 3, 0)), -1},
		"no rate":                        {concat(flacHeader(0, 1, 8, 1), flacFrame(0, 8, 1, short(1))), -1},
		"no description":                 {[]byte("fLaC\x84\x00\x00\x00"), -1},
		"other bits than the stream":     {concat(flacHeader(8000, 1, 16, 1), flacFrame(0, 8, 1, short(1))), -2},
		"other channels than the stream": {concat(flacHeader(8000, 2, 8, 1), flacFrame(0, 8, 1, short(1))), -2},
		"reserved bits":                  {concat(flacHeader(8000, 1, 8, 1), flacFrame(0, 8, 3, short(1))), -1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := sound.Decode(c.file, nil)
			switch c.want {
			case -1:
				require.ErrorIs(t, err, errors.ErrMalformed)
			case -2:
				require.ErrorIs(t, err, errors.ErrUnsupported)
			default:
				require.NoError(t, err)
				require.Len(t, got.Samples, c.want)
			}
		})
	}
}

// A bomb: few bytes that promise very many samples.
func TestFLACThatPromisesMuch(t *testing.T) {
	_, err := sound.Decode(flacHeader(8000, 1, 8, 1<<36-1), nil)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = sound.Decode(flacHeader(8000, 1, 8, sound.DefaultSamples), nil)
	require.ErrorIs(t, err, errors.ErrMalformed)
}
