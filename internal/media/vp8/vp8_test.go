package vp8_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	other "golang.org/x/image/vp8"

	"github.com/unum-cloud/uform-go/internal/media/vp8"
)

// frames returns the frames of the lossy WebPs among the samples, by their files' names.
func frames(t testing.TB) map[string][]byte {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "media", "images", "*.webp"))
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		if frame := frameOf(file); frame != nil {
			all[filepath.Base(path)] = frame
		}
	}
	require.NotEmpty(t, all)
	return all
}

// frameOf returns the frame of a file.
func frameOf(file []byte) []byte {
	at := bytes.Index(file, []byte("VP8 "))
	if at < 0 {
		return nil
	}
	return file[at+8:][:binary.LittleEndian.Uint32(file[at+4:])]
}

// reference decodes a frame by golang.org/x/image.
func reference(frame []byte) (*image.YCbCr, error) {
	decoder := other.NewDecoder()
	decoder.Init(bytes.NewReader(frame), len(frame))
	if _, err := decoder.DecodeFrameHeader(); err != nil {
		return nil, err
	}
	return decoder.DecodeFrame()
}

// requireSame requires the samples of two pictures to be equal.
func requireSame(t testing.TB, want, got *image.YCbCr) {
	require.Equal(t, want.Rect, got.Rect)
	require.Equal(t, want.SubsampleRatio, got.SubsampleRatio)
	for y := range want.Rect.Dy() {
		require.Equal(t, want.Y[y*want.YStride:][:want.Rect.Dx()], got.Y[y*got.YStride:][:want.Rect.Dx()], "luma, row %d", y)
	}
	for y := range (want.Rect.Dy() + 1) / 2 {
		count := (want.Rect.Dx() + 1) / 2
		require.Equal(t, want.Cb[y*want.CStride:][:count], got.Cb[y*got.CStride:][:count], "row %d", y)
		require.Equal(t, want.Cr[y*want.CStride:][:count], got.Cr[y*got.CStride:][:count], "row %d", y)
	}
}

func TestSamples(t *testing.T) {
	for name, frame := range frames(t) {
		want, err := reference(frame)
		require.NoError(t, err, name)
		got, ok := vp8.Decode(frame)
		require.True(t, ok, name)
		requireSame(t, want, got)
	}
}

// Frames whose bits are changed are decoded as by golang.org/x/image, and those that are cut are
// not decoded.
func TestChangedFrames(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	decoded := 0
	for name, frame := range frames(t) {
		for range 100 {
			changed := bytes.Clone(frame)
			for range 1 + random.IntN(3) {
				changed[random.IntN(min(len(changed), 200))] ^= 1 << random.IntN(8)
			}
			got, ok := vp8.Decode(changed)
			if !ok || got.Rect.Dx()*got.Rect.Dy() > 1<<20 {
				continue
			}
			if want, err := reference(changed); err == nil {
				requireSame(t, want, got)
				decoded++
			}
		}
		_, ok := vp8.Decode(frame[:len(frame)/2])
		require.False(t, ok, name)
	}
	require.NotZero(t, decoded)
}

// What libwebp's encoder makes, with every filter, number of segments and partitions.
func TestLikeTheOther(t *testing.T) {
	if _, err := exec.LookPath("cwebp"); err != nil {
		t.Skip("needs cwebp (Debian: webp)")
	}
	random := rand.New(rand.NewPCG(2, 2))
	for i, options := range [][]string{
		{"-q", "80"}, {"-q", "5"}, {"-q", "100", "-f", "0"}, {"-q", "50", "-nostrong"}, {"-q", "60", "-sharpness", "5", "-f", "90"},
		{"-q", "30", "-segments", "1"}, {"-q", "70", "-m", "6", "-partition_limit", "50"}, {"-q", "40", "-m", "0"}, {"-q", "20", "-sns", "100", "-f", "100"},
	} {
		width, height := 17+random.IntN(150), 17+random.IntN(150)
		picture := []byte("P6\n" + strconv.Itoa(width) + " " + strconv.Itoa(height) + "\n255\n")
		for y := range height {
			for x := range width {
				for c := range 3 {
					picture = append(picture, byte(x*(c+1)+y*3/(1+x/40%3)+random.IntN(1+i*8)))
				}
			}
		}
		folder := t.TempDir()
		from, to := filepath.Join(folder, "picture.ppm"), filepath.Join(folder, "picture.webp")
		require.NoError(t, os.WriteFile(from, picture, 0o600))
		said, err := exec.Command("cwebp", append(options, "-quiet", from, "-o", to)...).CombinedOutput()
		require.NoError(t, err, "%s", said)
		file, err := os.ReadFile(to)
		require.NoError(t, err)
		want, err := reference(frameOf(file))
		require.NoError(t, err)
		got, ok := vp8.Decode(frameOf(file))
		require.True(t, ok, options)
		requireSame(t, want, got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, frame := range frames(f) {
		if len(frame) < 3000 {
			f.Add(frame)
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		if len(frame) >= 10 && int(frame[6])+int(frame[7]&63)<<8 > 200 || len(frame) >= 10 && int(frame[8])+int(frame[9]&63)<<8 > 200 {
			return // slow
		}
		got, ok := vp8.Decode(frame)
		if !ok {
			return
		}
		if want, err := reference(frame); err == nil {
			requireSame(t, want, got)
		}
	})
}
