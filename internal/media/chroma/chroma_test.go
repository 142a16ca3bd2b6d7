package chroma_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/chroma"
)

// drawn returns samples that often are as small or as large as they can be.
func drawn(random *rand.Rand, count int) []byte {
	samples := make([]byte, count)
	for i := range samples {
		samples[i] = byte(min(max(random.IntN(512)-128, 0), 255))
	}
	return samples
}

// Rows of every length are what the weights 3/4 and 1/4 make of them, one sample at a time,
// whatever is worked on at once.
func TestUpsample(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	roundings := map[string]struct {
		rounding             chroma.Rounding
		quarters, sixteenths [2]int // of samples in even places and in odd ones
	}{
		"JPEG": {chroma.JPEG, [2]int{1, 2}, [2]int{8, 7}},
		"WebP": {chroma.WebP, [2]int{2, 2}, [2]int{8, 8}},
	}
	for name, r := range roundings {
		for length := 1; length <= 101; length++ {
			if length > 21 && length < 31 || length > 36 && length < 63 || length > 68 && length < 95 {
				continue // between the lengths at which more is worked on at once
			}
			t.Run(fmt.Sprint(name, length), func(t *testing.T) {
				near, far := drawn(random, length), drawn(random, length)
				for _, y := range []int{2, 3} {
					got := make([]byte, 2*length)
					r.rounding.Upsample(got, near, far, 1, 2, y)
					for i := range near {
						require.EqualValues(t, (3*int(near[i])+int(far[i])+r.quarters[y%2])/4, got[i], "rows: %d", i)
					}
					r.rounding.Upsample(got, near, near, 2, 1, y)
					for x := range got {
						side := min(max(x/2-1+x%2*2, 0), length-1)
						require.EqualValues(t, (3*int(near[x/2])+int(near[side])+r.quarters[x%2])/4, got[x], "columns: %d", x)
					}
					r.rounding.Upsample(got, near, far, 2, 2, y)
					sum := func(i int) int { return 3*int(near[i]) + int(far[i]) }
					for x := range got {
						side := min(max(x/2-1+x%2*2, 0), length-1)
						require.EqualValues(t, (3*sum(x/2)+sum(side)+r.sixteenths[x%2])/16, got[x], "both: %d", x)
					}
				}
				for _, span := range [][2]int{{1, 1}, {1, 3}, {2, 4}, {3, 1}, {4, 2}, {4, 4}} {
					got := make([]byte, span[0]*length)
					r.rounding.Upsample(got, near, near, span[0], span[1], 0)
					for x := range got {
						require.Equal(t, near[x/span[0]], got[x], "%v: %d", span, x)
					}
				}
			})
		}
	}
	chroma.JPEG.Upsample(nil, nil, nil, 2, 2, 0)
}

func TestRows(t *testing.T) {
	for y, want := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}} {
		near, far := chroma.Rows(y, 2, 3)
		require.Equal(t, want, [2]int{near, far}, "row %d", y)
	}
	for _, down := range []int{1, 3, 4} {
		near, far := chroma.Rows(7, down, 9)
		require.Equal(t, [2]int{7 / down, 7 / down}, [2]int{near, far})
	}
}

// Every luma with every other pair of chroma is what BT.601 says, rounded; no row writes beyond its
// end.
func TestFullRange(t *testing.T) {
	const guard = 0xA5
	y, cb, cr := make([]byte, 256), make([]byte, 256), make([]byte, 256)
	rgb := make([]byte, 3*256+1)
	for pair := 0; pair < 1<<16; pair += 211 {
		for i := range y {
			y[i], cb[i], cr[i] = byte(i), byte(pair>>8), byte(pair)
		}
		rgb[3*256] = guard
		chroma.FullRange(rgb, y, cb, cr)
		require.EqualValues(t, guard, rgb[3*256])
		blue, red := float64(pair>>8)-128, float64(pair&255)-128
		for i := range y {
			for c, want := range []float64{1.402 * red, -0.344136*blue - 0.714136*red, 1.772 * blue} {
				want = min(max(float64(i)+want, 0), 255)
				require.LessOrEqual(t, math.Abs(want-float64(rgb[3*i+c])), 0.51, "luma %d, chroma %#x, channel %d", i, pair, c)
			}
		}
	}
	chroma.FullRange(nil, nil, nil, nil)
}
