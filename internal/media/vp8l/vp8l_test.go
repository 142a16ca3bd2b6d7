package vp8l_test

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
	other "golang.org/x/image/vp8l"

	"github.com/unum-cloud/uform-go/internal/media/vp8l"
)

// chunkOf returns the chunk of a file's lossless picture, or nil.
func chunkOf(file []byte) []byte {
	at := bytes.Index(file, []byte("VP8L"))
	if at < 0 {
		return nil
	}
	return file[at+8:][:binary.LittleEndian.Uint32(file[at+4:])]
}

// chunks returns those of the lossless WebPs among the samples, by their files' names.
func chunks(t testing.TB) map[string][]byte {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "media", "images", "*.webp"))
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		if chunk := chunkOf(file); chunk != nil {
			all[filepath.Base(path)] = chunk
		}
	}
	require.NotEmpty(t, all)
	return all
}

// same requires of a picture that golang.org/x/image decodes it to the same, if this package
// decodes it, and reports whether it does.
func same(t testing.TB, chunk []byte) bool {
	got, ok := vp8l.Decode(chunk)
	if !ok {
		return false
	}
	picture, err := other.Decode(bytes.NewReader(chunk))
	require.NoError(t, err)
	want := picture.(*image.NRGBA)
	require.Equal(t, want.Rect.Size(), image.Pt(got.Width, got.Height))
	for i, v := range got.Pixels {
		require.Equal(t, [4]byte(want.Pix[4*i:]), [4]byte{byte(v >> 16), byte(v >> 8), byte(v), byte(v >> 24)}, "pixel %d", i)
	}
	return true
}

// The samples, whole and cut, and with any bit changed.
func TestSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	decoded := 0
	for name, chunk := range chunks(t) {
		if same(t, chunk) {
			decoded++
		}
		for range 100 {
			require.False(t, same(t, chunk[:random.IntN(len(chunk)-8)]), name)
			changed := bytes.Clone(chunk)
			changed[5+random.IntN(len(changed)-5)] ^= 1 << random.IntN(8)
			same(t, changed)
		}
	}
	require.NotZero(t, decoded)
}

// What libwebp's encoder makes of many kinds of pictures, at every effort.
func TestLikeTheOther(t *testing.T) {
	if _, err := exec.LookPath("cwebp"); err != nil {
		t.Skip("needs cwebp (Debian: webp)")
	}
	random := rand.New(rand.NewPCG(2, 2))
	for effort := range 10 {
		for noise := range 4 {
			width, height := 1+random.IntN(150), 1+random.IntN(150)
			picture := []byte("P6\n" + strconv.Itoa(width) + " " + strconv.Itoa(height) + "\n255\n")
			for y := range height {
				for x := range width {
					for c := range 3 {
						picture = append(picture, byte(x*(c+1)+y*3/(1+x/40%3)+random.IntN(1+noise*noise*9)))
					}
				}
			}
			folder := t.TempDir()
			from, to := filepath.Join(folder, "picture.ppm"), filepath.Join(folder, "picture.webp")
			require.NoError(t, os.WriteFile(from, picture, 0o600))
			said, err := exec.Command("cwebp", "-quiet", "-z", strconv.Itoa(effort), from, "-o", to).CombinedOutput()
			require.NoError(t, err, "%s", said)
			file, err := os.ReadFile(to)
			require.NoError(t, err)
			decoded := same(t, chunkOf(file))
			require.True(t, decoded || width*height < 5000, "effort %d, noise %d, %d×%d", effort, noise, width, height)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, chunk := range chunks(f) {
		if len(chunk) < 3000 {
			f.Add(chunk)
		}
	}
	f.Fuzz(func(t *testing.T, chunk []byte) {
		if len(chunk) > 4 && binary.LittleEndian.Uint32(chunk[1:])&0x3FFF*(binary.LittleEndian.Uint32(chunk[1:])>>14&0x3FFF) > 1<<16 {
			return // slow
		}
		same(t, chunk)
	})
}
