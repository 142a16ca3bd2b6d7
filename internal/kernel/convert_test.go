package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// value16 returns the value of 16 bits, from the definition of a binary float with that many bits
// of exponent and of fraction.
func value16(bits uint16, exponentBits, fractionBits int) float64 {
	sign := 1.0
	if bits>>15 == 1 {
		sign = -1
	}
	exponent := int(bits>>fractionBits) & (1<<exponentBits - 1)
	fraction := float64(bits&(1<<fractionBits-1)) / float64(int(1)<<fractionBits)
	bias := 1<<(exponentBits-1) - 1
	switch {
	case exponent == 1<<exponentBits-1 && fraction == 0:
		return sign * math.Inf(1)
	case exponent == 1<<exponentBits-1:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, 1-bias)
	}
	return sign * math.Ldexp(1+fraction, exponent-bias)
}

// kinds are the two 16-bit floats, their shapes, and their conversions.
var kinds = []struct {
	name                       string
	exponentBits, fractionBits int
	round                      func(float32) uint16
	widen                      func(uint16) float32
	roundAll                   func([]uint16, []float32)
	widenAll                   func([]float32, []uint16)
}{
	{"f16", 5, 10, kernel.F16, kernel.WidenF16, kernel.ToF16, kernel.FromF16},
	{"bf16", 8, 7, kernel.BF16, kernel.WidenBF16, kernel.ToBF16, kernel.FromBF16},
}

func TestWideningIsExact(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for bits := range 1 << 16 {
				want, got := value16(uint16(bits), kind.exponentBits, kind.fractionBits), float64(kind.widen(uint16(bits)))
				if math.IsNaN(want) {
					require.True(t, math.IsNaN(got), "%04x", bits)
					require.Equal(t, bits>>15 == 1, math.Signbit(got))
					continue
				}
				if want != got || math.Signbit(want) != math.Signbit(got) {
					require.Failf(t, "widened wrong", "%04x is %v, not %v", bits, want, got)
				}
			}
		})
	}
}

// nearest16 finds the nearest value by trying all candidates: the rounding rule itself, ties to the
// even one. The first value beyond the largest finite one stands for infinity.
func nearest16(v float64, exponentBits, fractionBits int) uint16 {
	var sign uint16
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	infinity := uint16(1<<exponentBits-1) << fractionBits
	low, high := uint16(0), infinity
	for high-low > 1 {
		middle := low + (high-low)/2
		if value16(middle, exponentBits, fractionBits) <= v {
			low = middle
		} else {
			high = middle
		}
	}
	above := value16(high, exponentBits, fractionBits)
	if high == infinity {
		above = math.Ldexp(1, 1<<(exponentBits-1))
	}
	below := value16(low, exponentBits, fractionBits)
	switch {
	case v-below < above-v, v-below == above-v && low%2 == 0:
		return sign | low
	}
	return sign | high
}

// interesting returns floats at and around every value and every midpoint of a 16-bit kind.
func interesting(widen func(uint16) float32) []float32 {
	var values []float32
	for bits := range 1 << 16 {
		low, high := widen(uint16(bits)), widen(uint16(bits+1))
		middle := float32((float64(low) + float64(high)) / 2)
		for _, v := range []float32{low, middle} {
			values = append(values, v, math.Nextafter32(v, float32(math.Inf(1))), math.Nextafter32(v, float32(math.Inf(-1))))
		}
	}
	return values
}

func TestRoundingIsToNearestEven(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			values := append(interesting(kind.widen),
				math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 65504, 65519.996, 65520, -65520, 0x1p-25, 0x1p-25+0x1p-40)
			got := make([]uint16, len(values))
			kind.roundAll(got, values)
			for i, v := range values {
				if v != v {
					require.True(t, math.IsNaN(float64(kind.widen(got[i]))), "a NaN became %04x", got[i])
					continue
				}
				want := nearest16(float64(v), kind.exponentBits, kind.fractionBits)
				if math.IsInf(float64(v), 0) {
					want = uint16(1<<kind.exponentBits-1)<<kind.fractionBits | uint16(math.Float32bits(v)>>16&0x8000)
				}
				if want != got[i] {
					require.Failf(t, "rounded wrong", "%v (%08x) is %04x, not %04x", v, math.Float32bits(v), want, got[i])
				}
			}
		})
	}
}

func TestNaNStaysNaN(t *testing.T) {
	for _, kind := range kinds {
		for _, bits := range []uint32{0x7F800001, 0xFF800001, 0x7FC00000, 0x7FFFFFFF, 0x7F80FFFF} {
			wide := kind.widen(kind.round(math.Float32frombits(bits)))
			require.True(t, wide != wide, "%s of %08x", kind.name, bits)
			require.Equal(t, bits>>31, math.Float32bits(wide)>>31, "the sign stays too")
		}
	}
}

func TestInt8(t *testing.T) {
	half := func(n float64) float32 { return float32(n / 127) }
	for _, example := range []struct {
		v    float32
		want int8
	}{
		{0, 0}, {1, 127}, {-1, -127}, {2, 127}, {-2, -127}, {math.MaxFloat32, 127}, {-math.MaxFloat32, -127},
		{float32(math.Inf(1)), 127}, {float32(math.Inf(-1)), -127}, {float32(math.NaN()), 0},
		{0.5, 64}, {-0.5, -64}, // 63.5 is a tie, and 64 is even
		{half(1), 1}, {half(-100), -100}, {half(100.4), 100}, {half(100.6), 101}, {0.003, 0}, {0.004, 1},
	} {
		require.Equal(t, example.want, kernel.Int8(example.v), "%v", example.v)
	}
	random := rand.New(rand.NewPCG(1, 9))
	values := make([]float32, 10000)
	for i := range values {
		values[i] = random.Float32()*2.2 - 1.1
	}
	got := make([]int8, len(values))
	kernel.ToInt8(got, values)
	for i, v := range values {
		exact := float64(v) * 127
		want := math.Max(-127, math.Min(127, math.RoundToEven(exact)))
		require.Equal(t, int8(want), got[i], "%v", v)
	}
}

func TestWideningAllEqualsWideningEach(t *testing.T) { eachPath(t, testWideningAllEqualsWideningEach) }

func testWideningAllEqualsWideningEach(t *testing.T) {
	halves := make([]uint16, 1<<16)
	for i := range halves {
		halves[i] = uint16(i)
	}
	for _, kind := range kinds {
		got := make([]float32, len(halves))
		kind.widenAll(got, halves)
		for i, h := range halves {
			require.Equal(t, math.Float32bits(kind.widen(h)), math.Float32bits(got[i]))
		}
	}
}

func FuzzConversions(f *testing.F) {
	for _, seed := range []uint32{0, 1, 0x38800000, 0x387FFFFF, 0x477FEFFF, 0x477FF000, 0x7F7FFFFF, 0x7F800001, 0x33000000, 0x33000001, 0x7F7F8000} {
		f.Add(seed)
		f.Add(seed | 0x80000000)
	}
	f.Fuzz(func(t *testing.T, bits uint32) {
		v := math.Float32frombits(bits)
		for _, kind := range kinds {
			got := kind.round(v)
			switch wide := kind.widen(got); {
			case v != v:
				require.True(t, wide != wide)
			case math.IsInf(float64(v), 0):
				require.Equal(t, v, wide)
			default:
				require.Equal(t, nearest16(float64(v), kind.exponentBits, kind.fractionBits), got, "%s of %v", kind.name, v)
				require.Equal(t, got, kind.round(wide), "what is a %s already stays as it is", kind.name)
			}
		}
	})
}
