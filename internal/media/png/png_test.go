package png_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	standard "image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/png"
)

const most = 1 << 20

// same requires of a file that the standard library decodes it to the same pixels, if this package
// decodes it, and reports whether it does.
func same(t testing.TB, file []byte) bool {
	got, ok := png.Decode(file, most)
	if !ok {
		return false
	}
	want, err := standard.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, want.Bounds().Size(), image.Pt(got.Width, got.Height))
	require.Len(t, got.Pixels, got.Width*got.Height*got.Channels)
	rest := got.Pixels
	for y := range got.Height {
		for x := range got.Width {
			switch c := want.At(x, y).(type) {
			case color.Gray:
				require.Equal(t, []byte{c.Y}, rest[:got.Channels])
			case color.RGBA:
				require.Equal(t, []byte{c.R, c.G, c.B}, rest[:got.Channels])
			case color.NRGBA:
				require.Equal(t, []byte{c.R, c.G, c.B, c.A}, rest[:got.Channels])
			default:
				require.FailNow(t, "another colour", "%T", c)
			}
			rest = rest[got.Channels:]
		}
	}
	return true
}

// chunk appends a chunk to a file.
func chunk(file []byte, name string, body []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(body)))
	file = append(append(file, name...), body...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[len(file)-len(body)-4:]))
}

// file returns a PNG of rows that are filtered already, and compressed already.
func file(width, height, kind int, coded []byte) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(width))
	head = binary.BigEndian.AppendUint32(head, uint32(height))
	file := chunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(head, 8, byte(kind), 0, 0, 0))
	file = chunk(file, "IDAT", coded[:len(coded)/3])
	return chunk(chunk(file, "IDAT", coded[len(coded)/3:]), "IEND", nil)
}

// Files of every filter, kind and strength of compression are what the standard library makes of
// them.
func TestLikeTheStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, level := range []int{flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.BestCompression, flate.HuffmanOnly} {
		for kind, channels := range map[int]int{0: 1, 2: 3, 6: 4} {
			for _, width := range []int{1, 2, 3, 15, 40, 257} {
				height := 1 + random.IntN(60)
				var rows []byte
				for y := range height {
					rows = append(rows, byte(y%5))
					for x := range width * channels {
						v := byte(x*y/7 + random.IntN(1+y%4*8))
						if random.IntN(9) == 0 {
							v = byte(random.Uint32())
						}
						rows = append(rows, v)
					}
				}
				var coded bytes.Buffer
				w, err := zlib.NewWriterLevel(&coded, level)
				require.NoError(t, err)
				_, err = w.Write(rows)
				require.NoError(t, err)
				require.NoError(t, w.Close())
				require.True(t, same(t, file(width, height, kind, coded.Bytes())), "level %d, kind %d, width %d", level, kind, width)
			}
		}
	}
}

// The samples that every implementation decodes, whole and cut, and with any byte changed: a file
// with a fault is never decoded to something else.
func TestFaults(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "media", "images", "*.png"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	random := rand.New(rand.NewPCG(2, 2))
	decoded := 0
	for _, path := range paths {
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		if same(t, whole) {
			decoded++
		}
		for range 40 {
			require.False(t, same(t, whole[:random.IntN(len(whole))]), path)
			changed := bytes.Clone(whole)
			changed[random.IntN(len(changed))] ^= 1 << random.IntN(8)
			same(t, changed)
		}
	}
	require.NotZero(t, decoded)
}

// Compressed bytes that are changed, with checksums of chunks that are right.
func TestDamagedCodes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		const width, height = 20, 12
		rows := make([]byte, (1+3*width)*height)
		for i := range rows {
			rows[i] = byte(random.IntN(3))
		}
		var coded bytes.Buffer
		w, err := zlib.NewWriterLevel(&coded, random.IntN(11)-2)
		require.NoError(t, err)
		_, err = w.Write(rows)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		damaged := coded.Bytes()
		for range random.IntN(3) {
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
		}
		same(t, file(width, height, 2, damaged[:len(damaged)-random.IntN(2)*random.IntN(9)]))
	}
}

func TestLimit(t *testing.T) {
	var coded bytes.Buffer
	w := zlib.NewWriter(&coded)
	_, err := w.Write(make([]byte, 31*10))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	plain := file(10, 10, 2, coded.Bytes())
	_, ok := png.Decode(plain, 100)
	require.True(t, ok)
	_, ok = png.Decode(plain, 99)
	require.False(t, ok)
	// A head that claims more than its file could hold takes no memory.
	claims := file(1<<12, 1<<12, 2, coded.Bytes())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, ok = png.Decode(claims, 1<<30)
	runtime.ReadMemStats(&after)
	require.False(t, ok)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func FuzzDecode(f *testing.F) {
	f.Add(file(1, 1, 2, []byte{0x78, 0x9c, 0x63, 0x60, 0x60, 0x60, 0x00, 0x00, 0x00, 0x04, 0x00, 0x01}), false)
	f.Add(file(3, 2, 0, []byte{0x78, 0x01, 0x01, 0x08, 0x00, 0xf7, 0xff, 0, 1, 2, 3, 0, 4, 5, 6, 0, 0x5e, 0x00, 0x16}), true)
	f.Fuzz(func(t *testing.T, data []byte, coded bool) {
		if coded { // the checksums of a file are hard to find
			data = file(3, 2, 2, data)
		}
		same(t, data)
	})
}
