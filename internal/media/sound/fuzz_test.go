package sound_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// fuzzed decodes data within limits, and requires a valid recording or an error of a known kind.
func fuzzed(t *testing.T, data []byte) {
	const most = 1 << 16
	got, err := sound.Decode(data, &sound.Limits{Samples: most})
	if err != nil {
		require.Nil(t, got)
		status, ok := errors.StatusOf(err)
		require.True(t, ok, "%v", err)
		require.Contains(t, []errors.Status{errors.ErrMalformed, errors.ErrUnsupported}, status)
		return
	}
	require.LessOrEqual(t, len(got.Samples), most)
	require.GreaterOrEqual(t, got.Rate, 1)
	require.LessOrEqual(t, got.Rate, sound.MaximumRate)
	for _, sample := range got.Samples {
		require.False(t, math.IsNaN(float64(sample)) || math.IsInf(float64(sample), 0))
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range names(f) {
		if data := file(f, name); len(data) < 8<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(fuzzed)
}

// FuzzWAV fuzzes what follows the first header, as RIFF and as RF64.
func FuzzWAV(f *testing.F) {
	for _, name := range []string{"s16.wav", "f64.wav", "rf64.wav", "list.wav", "mulaw.wav", "adpcm.wav", "align8.wav", "padded24.wav", "lame.wav"} {
		data := file(f, name)
		f.Add(data[0] == 'R' && data[1] == 'F', binary.LittleEndian.Uint32(data[4:]), data[12:min(len(data), 400)])
	}
	f.Fuzz(func(t *testing.T, long bool, size uint32, chunks []byte) {
		header := []byte("RIFF....WAVE")
		if long {
			copy(header, "RF64")
		}
		binary.LittleEndian.PutUint32(header[4:], size)
		fuzzed(t, append(header, chunks...))
	})
}

// FuzzOgg restores every page's checksum and number, so that changes reach the codecs.
func FuzzOgg(f *testing.F) {
	for _, name := range []string{"mono.ogg", "stereo.ogg", "silk8.opus", "celt.opus", "six.opus", "hybrid.opus"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzed(t, resealed(data))
	})
}

// resealed returns data whose pages, as far as there are some, have checksums and numbers that
// hold.
func resealed(data []byte) []byte {
	data = append([]byte{}, data...)
	for at, sequence := 0, uint32(0); at+27 <= len(data); sequence++ {
		copy(data[at:], "OggS\x00")
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
		binary.LittleEndian.PutUint32(page[18:], sequence)
		binary.LittleEndian.PutUint32(page[22:], 0)
		binary.LittleEndian.PutUint32(page[22:], oggRemainder(page))
		at = end
	}
	return data
}

var oggTable = func() (table [256]uint32) {
	for i := range table {
		table[i] = remainder([]byte{byte(i)}, 0x04C11DB7, 32)
	}
	return table
}()

func oggRemainder(data []byte) (sum uint32) {
	for _, b := range data {
		sum = sum<<8 ^ oggTable[byte(sum>>24)^b]
	}
	return sum
}
