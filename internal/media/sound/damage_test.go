package sound_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// silentEnds are files without a declared length: if one is cut between two units of this many
// samples, the rest is a valid file, and no reader can detect the cut.
var silentEnds = map[string]int{
	"streamed.wav": 1, "lame.wav": 1, "flac.wav": 1, "unknown.flac": 4096, "untagged22.mp3": 576,
}

// A file that ends early is an error, never a shorter recording.
func TestEveryPrefixIsRefused(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			data := file(t, name)
			step := max(1, len(data)/50)
			for length := 0; length < len(data); length++ {
				// Every cut near the ends, fifty between.
				if length > 70 && len(data)-length > 70 && length%step != 0 {
					continue
				}
				recording, err := sound.Decode(data[:length], nil)
				if unit := silentEnds[name]; unit > 0 && err == nil {
					require.Zero(t, len(recording.Samples)%unit)
					continue
				}
				if name == "tagged.mp3" && len(data)-length <= 128 && err == nil {
					continue // the tag is not sound
				}
				if name == "chained.opus" || name == "chained.ogg" {
					if err == nil {
						require.Equal(t, len(file(t, map[string]string{"chained.opus": "celt.opus", "chained.ogg": "mono.ogg"}[name])), length)
						continue
					}
				}
				require.Error(t, err, "cut to %d of %d bytes", length, len(data))
				if want, _ := golden(t, name); want != nil {
					require.ErrorIs(t, err, errors.ErrMalformed, "cut to %d of %d bytes", length, len(data))
				}
			}
		})
	}
}

// If every byte of sound is under a checksum, a changed byte is an error, or changes nothing.
func TestChangedBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"mono.flac", "stereo24.flac", "unknown.flac", "celt.opus", "silk8.opus", "mono.ogg"} {
		t.Run(name, func(t *testing.T) {
			data := file(t, name)
			want := decoded(t, data)
			refused := 0
			for range 300 {
				changed := append([]byte{}, data...)
				changed[random.IntN(len(data))] ^= 1 << random.IntN(8)
				got, err := sound.Decode(changed, nil)
				if err != nil {
					refused++
					continue
				}
				require.True(t, equal(want.Samples, got.Samples))
			}
			require.Greater(t, refused, 200)
		})
	}
}
