package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// everyPath returns what each path makes of the same input, by the path's name.
func everyPath(run func() []byte) map[string][]byte {
	made := map[string][]byte{}
	for _, path := range kernel.Paths() {
		restore := kernel.Force(path)
		made[path] = run()
		restore()
	}
	return made
}

// requireSame requires of all paths the bytes of the portable one, and returns those.
func requireSame(t testing.TB, made map[string][]byte, what ...any) []byte {
	for path, bytes := range made {
		require.Equal(t, made["portable"], bytes, append([]any{path}, what...)...)
	}
	return made["portable"]
}

// extremes returns bytes that often are as small or as large as they can be.
func extremes(random *rand.Rand, count int) []byte {
	samples := make([]byte, count)
	for i := range samples {
		samples[i] = byte(min(max(random.IntN(512)-128, 0), 255))
	}
	return samples
}

// Blocks of every kind, also those that no encoder writes and whose sums wrap.
func TestInverseHasTheSameBitsOnEveryPath(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 1))
	for i := range 20000 {
		var block [64]int16
		var quantizers [64]uint16
		for at := range quantizers {
			quantizers[at] = uint16(1 + random.IntN(1<<(1+i%16)))
		}
		for range []int{1, 3, 10, 64, 200}[i%5] {
			at := random.IntN([]int{8, 24, 64}[i%3])
			switch size := i / 5 % 17; size {
			case 16:
				block[at] = []int16{math.MinInt16, math.MaxInt16, 0, -1}[random.IntN(4)]
			default:
				block[at] = int16(random.IntN(2<<size) - 1<<size)
			}
		}
		made := everyPath(func() []byte {
			dst := make([]byte, 7*11+8)
			kernel.Inverse(dst, 11, &block, &quantizers)
			return dst
		})
		requireSame(t, made, i, block, quantizers)
	}
}

// A block is the sum of cosines that the standard writes, within the rounding of its integers.
func TestInverseIsTheCosineTransform(t *testing.T) {
	random := rand.New(rand.NewPCG(42, 1))
	for range 200 {
		var block [64]int16
		var quantizers [64]uint16
		for at := range block {
			quantizers[at] = uint16(1 + random.IntN(20))
			if random.IntN(4) == 0 {
				block[at] = int16(random.IntN(15) - 7)
			}
		}
		got := make([]byte, 64)
		kernel.Inverse(got, 8, &block, &quantizers)
		for y := range 8 {
			for x := range 8 {
				sum := 128.0
				for v := range 8 {
					for u := range 8 {
						scale := 0.25
						for _, frequency := range []int{u, v} {
							if frequency == 0 {
								scale *= math.Sqrt2 / 2
							}
						}
						sum += scale * float64(block[8*v+u]) * float64(quantizers[8*v+u]) *
							math.Cos(float64((2*x+1)*u)*math.Pi/16) * math.Cos(float64((2*y+1)*v)*math.Pi/16)
					}
				}
				require.InDelta(t, min(max(sum, 0), 255), got[8*y+x], 0.6, "%d, %d", x, y)
			}
		}
	}
}

func TestChromaHasTheSameBitsOnEveryPath(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 1))
	for length := range 200 {
		if length == 199 {
			length = 20_001 // more than one call of assembly
		}
		near, far, third := extremes(random, length), extremes(random, length), extremes(random, length)
		for name, run := range map[string]func(dst []byte){
			"rows":          func(dst []byte) { kernel.UpsampleRows(dst, near, far, 1+length%2) },
			"columns":       func(dst []byte) { kernel.UpsampleColumns(dst, near, 1+length%2, 2) },
			"both":          func(dst []byte) { kernel.UpsampleBoth(dst, near, far, 8, 7+length%2) },
			"full range":    func(dst []byte) { kernel.FullRange(dst, near, far, third) },
			"limited range": func(dst []byte) { kernel.LimitedRange(dst, near, far, third) },
		} {
			made := everyPath(func() []byte {
				dst := make([]byte, 3*length+1) // and a byte that stays
				run(dst[:3*length])
				return dst
			})
			requireSame(t, made, name, length)
		}
	}
}

// Every pair of chroma, with every luma of some, becomes the same colour on every path.
func TestColoursAreTheSameOnEveryPath(t *testing.T) {
	const step = 5 // divides 255
	var y, cb, cr []byte
	for luma := 0; luma < 256; luma += step {
		for pair := range 1 << 16 {
			y, cb, cr = append(y, byte(luma)), append(cb, byte(pair>>8)), append(cr, byte(pair))
		}
	}
	for name, convert := range map[string]func(rgb, y, cb, cr []byte){"full": kernel.FullRange, "limited": kernel.LimitedRange} {
		made := everyPath(func() []byte {
			rgb := make([]byte, 3*len(y))
			convert(rgb, y, cb, cr)
			return rgb
		})
		for path, rgb := range made {
			require.True(t, string(made["portable"]) == string(rgb), fmt.Sprint(name, " ", path))
		}
	}
}

func TestResizingToBytesHasTheSameBitsOnEveryPath(t *testing.T) {
	random := rand.New(rand.NewPCG(45, 1))
	// Some weights are those of pictures; with others sums wrap.
	whole := func(count int) []int32 {
		weights := make([]int32, count)
		for i := range weights {
			weights[i] = int32(random.Uint32()) >> random.IntN(20)
		}
		return weights
	}
	for _, count := range []int{0, 1, 2, 19, 1100} {
		for _, length := range []int{0, 1, 63, 64, 65, 127, 128, 200, 1000} {
			stride := length + random.IntN(9)
			rows, weights := extremes(random, stride*count), whole(count)
			made := everyPath(func() []byte {
				bytes := make([]byte, length+1) // and one that stays
				kernel.WeighRowsBytes(bytes[:length], rows, stride, weights)
				return bytes
			})
			got := requireSame(t, made, count, length)
			for i := range length {
				sum := int32(1 << (kernel.WeightBits - 1))
				for r, w := range weights {
					sum += w * int32(rows[r*stride+i])
				}
				require.EqualValues(t, min(max(sum>>kernel.WeightBits, 0), 255), got[i])
			}
		}
	}
	for rows := range 6 {
		for _, most := range []int{0, 1, 5, 1000} {
			windows := make([]kernel.Window, 1+random.IntN(20))
			groups, width := 0, 8*most+20
			for i := range windows {
				windows[i] = kernel.Window{First: random.IntN(20), Groups: random.IntN(most + 1)}
				groups += windows[i].Groups
			}
			// Some of the last row's groups reach beyond the pixels.
			pixels, weights := extremes(random, 3*width*rows)[:max(3*(width*rows-random.IntN(10)), 0)], whole(8*groups)
			stride := 3*len(windows) + random.IntN(3)
			made := everyPath(func() []byte {
				bytes := make([]byte, stride*rows+1)
				kernel.FilterTriplesBytes(bytes, stride, pixels, 3*width, rows, weights, windows)
				return bytes
			})
			got := requireSame(t, made, rows, most)
			for y := range rows {
				rest := weights
				for o, window := range windows {
					for channel := range 3 {
						sum := int32(1 << (kernel.WeightBits - 1))
						for i, w := range rest[:8*window.Groups] {
							if at := 3*(y*width+window.First+i) + channel; at < len(pixels) {
								sum += w * int32(pixels[at])
							}
						}
						require.EqualValues(t, min(max(sum>>kernel.WeightBits, 0), 255), got[y*stride+3*o+channel])
					}
					rest = rest[8*window.Groups:]
				}
			}
		}
	}
}

func TestResizingHasTheSameBitsOnEveryPath(t *testing.T) {
	random := rand.New(rand.NewPCG(44, 1))
	for _, count := range []int{0, 1, 2, 19, 1100} {
		for _, length := range []int{0, 1, 63, 64, 65, 127, 128, 200, 1000} {
			stride := length + random.IntN(9)
			rows, weights := extremes(random, stride*count), randomFloats(random, count)
			made := everyPath(func() []byte {
				sums := make([]float32, length+1) // and one that stays
				kernel.WeighRows(sums[:length], rows, stride, weights)
				return fmt.Append(nil, sums)
			})
			requireSame(t, made, count, length)
		}
	}
	for _, most := range []int{0, 1, 6, 3000} {
		windows := make([]kernel.Window, 1+random.IntN(20))
		pixels := randomFloats(random, 24*most+60)
		groups := 0
		for i := range windows {
			windows[i] = kernel.Window{First: random.IntN(20), Groups: random.IntN(most + 1)}
			groups += windows[i].Groups
		}
		weights := randomFloats(random, 8*groups)
		got := make([]float32, 3*len(windows)+1) // and one that stays
		made := everyPath(func() []byte {
			kernel.FilterTriples(got, pixels, weights, windows)
			return fmt.Append(nil, got)
		})
		requireSame(t, made, most)
		for o, window := range windows {
			for channel, sum := range got[3*o:][:3] {
				want := 0.0
				for i, w := range weights[:8*window.Groups] {
					want += float64(w) * float64(pixels[3*(window.First+i)+channel])
				}
				require.InDelta(t, want, sum, 1e-2)
			}
			weights = weights[8*window.Groups:]
		}
	}
}

func TestConvolve(t *testing.T) {
	random := rand.New(rand.NewPCG(46, 1))
	for _, c := range []struct{ phases, taps, phase, step, rest, count int }{
		{1, 32, 0, 1, 0, 5}, {160, 192, 7, 2, 121, 900}, {3, 64, 2, 0, 2, 100}, {2, 320, 1, 40, 1, 20}, {7, 1024, 0, 3, 6, 300}, {2, 1 << 17, 0, 1, 1, 3}, {5, 32, 0, 1, 1, 0},
	} {
		last := c.step*max(c.count-1, 0) + (c.phase+c.rest*max(c.count-1, 0))/c.phases
		samples, table := randomFloats(random, last+c.taps), randomFloats(random, c.phases*c.taps)
		eachPath(t, func(t *testing.T) {
			got := make([]float32, c.count+1)
			kernel.Convolve(got[:c.count], samples, table, c.taps, c.phase, c.step, c.rest)
			require.Zero(t, got[c.count])
			for i, sum := range got[:c.count] {
				turns := c.phase + i*c.rest
				want, size := 0.0, 0.0
				for at, w := range table[turns%c.phases*c.taps:][:c.taps] {
					product := float64(w) * float64(samples[i*c.step+turns/c.phases+at])
					want += product
					size += math.Abs(product)
				}
				require.InDelta(t, want, sum, size*1e-6, "%v, %d", c, i)
			}
		})
	}
}

// The filter bank is what the standard writes: vectors of 64 cosines, of which sixteen are
// windowed.
func TestBank(t *testing.T) {
	random := rand.New(rand.NewPCG(47, 1))
	given, granules := (*[512]float32)(randomFloats(random, 512)), make([]kernel.Granule, 3)
	for i := range granules {
		granules[i] = kernel.Granule(randomFloats(random, 576))
	}
	var window [512]float32
	for i, w := range given {
		if window[i] = w; i%64 >= 16 {
			window[i] = -w
		}
	}
	var want []float64
	past := make([]float64, 1024)
	for _, granule := range granules {
		for sample := range 18 {
			past = append(make([]float64, 64), past[:960]...)
			for i := range 64 {
				for subband := range 32 {
					past[i] += math.Cos(float64((16+i)*(2*subband+1))*math.Pi/64) * float64(granule[18*subband+sample])
				}
			}
			for j := range 32 {
				sum := 0.0
				for i := range 8 {
					sum += past[128*i+j]*float64(given[64*i+j]) + past[128*i+96+j]*float64(given[64*i+32+j])
				}
				want = append(want, sum)
			}
		}
	}
	eachPath(t, func(t *testing.T) {
		var bank kernel.Bank
		var got kernel.Granule
		for at, granule := range granules {
			bank.Synthesize(&got, &granule, &window)
			for i, sample := range got {
				require.InDelta(t, want[576*at+i], sample, 1e-3, "granule %d, sample %d", at, i)
			}
		}
	})
}

func TestCombine(t *testing.T) {
	random := rand.New(rand.NewPCG(48, 1))
	for count := range 20 {
		rows, weights := randomFloats(random, 24*count), randomFloats(random, count)
		eachPath(t, func(t *testing.T) {
			got := [24]float32{7}
			kernel.Combine(&got, rows, weights)
			for i, sum := range got {
				want := 0.0
				for k, w := range weights {
					want += float64(w) * float64(rows[24*k+i])
				}
				require.InDelta(t, want, sum, 1e-4)
			}
		})
	}
}

func TestFiltersHaveTheSameBitsOnEveryPath(t *testing.T) {
	random := rand.New(rand.NewPCG(49, 1))
	for length := range 150 {
		if length == 149 {
			length = 3 * 4 * 6001 // more than one call of assembly
		}
		x, above := extremes(random, length), extremes(random, length)
		for _, channels := range []int{0, 1, 3, 4} {
			made := everyPath(func() []byte {
				row := append(append([]byte{}, x...), 42)
				if channels == 0 {
					kernel.AddBytes(row[:length], above)
				} else if length%channels == 0 {
					kernel.Paeth(row[:length], above, channels)
				}
				return row
			})
			got := requireSame(t, made, length, channels)
			for i := 0; channels > 0 && length%channels == 0 && i < length; i++ {
				// What the standard writes.
				a, b, c := 0, int(above[i]), 0
				if i >= channels {
					a, c = int(got[i-channels]), int(above[i-channels])
				}
				nearest, least := 0, 1000
				for _, v := range []int{a, b, c} {
					if distance := max(a+b-c-v, v-a-b+c); distance < least {
						nearest, least = v, distance
					}
				}
				require.Equal(t, x[i]+byte(nearest), got[i])
			}
		}
	}
}

func TestSmoothingHasTheSameBitsOnEveryPath(t *testing.T) {
	random := rand.New(rand.NewPCG(50, 1))
	changed := 0
	for i := range 20000 {
		const stride = 11
		blocks := [2][]byte{extremes(random, 8*stride), extremes(random, 8*stride)}
		if i%4 > 0 { // edges that are smoothed are of samples that are near
			for _, block := range blocks {
				base, spread := random.IntN(256), 1+random.IntN(40)
				for at := range block {
					block[at] = byte(min(max(base+random.IntN(spread)-spread/2, 0), 255))
				}
			}
			copy(blocks[1], blocks[0][:random.IntN(8*stride)])
		}
		upright, outer := i&8 > 0, i&16 > 0
		e := kernel.Edge{Limit: uint16(random.IntN(388)), Inner: uint16(random.IntN(64)), Variance: uint16(random.IntN(3))}
		made := everyPath(func() []byte {
			first, second := append([]byte{}, blocks[0]...), append([]byte{}, blocks[1]...)
			kernel.Smooth(first, second, stride, upright, outer, e)
			return append(first, second...)
		})
		if got := requireSame(t, made, upright, outer, e, blocks); string(got[:8*stride]) != string(blocks[0]) {
			changed++
		}
	}
	require.Greater(t, changed, 5000)
}
