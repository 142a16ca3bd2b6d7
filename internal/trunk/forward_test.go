package trunk_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// lengths are on both sides of what cuts an attention: blocks of 48 queries, 64 and 128 tokens, the
// farthest bucket, and 384 keys.
var lengths = []int{1, 2, 17, 48, 64, 93, 130, 400}

func (s *shape) lengths() []int {
	if s.config.Width > 500 {
		return []int{1, 20} // the reference is slow
	}
	return lengths
}

// largest returns the largest difference, relative to the reference where that is above 1.
func largest(want [][]float64, got []float32) (difference float64) {
	at := 0
	for _, row := range want {
		for _, v := range row {
			apart := math.Abs(v-float64(got[at])) / max(1, math.Abs(v))
			difference = max(difference, apart)
			if math.IsNaN(apart) {
				return apart
			}
			at++
		}
	}
	return difference
}

func TestForwardIsTheReference(t *testing.T) {
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			d := describe(s)
			in := newTexts(s.config.Width, s.lengths()...)
			var full, half trunk.Scratch
			states := run(t, d.build(t, always(abi.ScalarF32)), &full, in, trunk.EveryRow)
			halves := run(t, d.build(t, always(abi.ScalarBF16)), &half, in, trunk.EveryRow)
			at := 0
			for i, span := range in.spans {
				want := d.states(in.wide(i))
				require.LessOrEqual(t, largest(want, states[at:]), 1e-5, "%d tokens", span.Length)
				require.LessOrEqual(t, largest(want, halves[at:]), 1e-5, "%d tokens", span.Length)
				at += len(want) * s.config.Width
			}
			require.Len(t, states, at)
			require.Len(t, halves, at)
		})
	}
}

// Matrices of bytes are close, in any mixture with others.
func TestForwardOfBytes(t *testing.T) {
	full := always(abi.ScalarF32)
	kinds := map[string]func(string) abi.Scalar{
		"all": always(abi.ScalarI8),
		"down in full": func(name string) abi.Scalar {
			if name == "down" {
				return abi.ScalarF32
			}
			return abi.ScalarI8
		},
		"query and down in bytes": func(name string) abi.Scalar {
			if name == "down" || name == "query" {
				return abi.ScalarI8
			}
			return abi.ScalarBF16
		},
	}
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			d := describe(s)
			in := newTexts(s.config.Width, s.lengths()...)
			var scratch trunk.Scratch
			want := run(t, d.build(t, full), &scratch, in, trunk.EveryRow)
			seen := [][]float32{want}
			for mixture, kind := range kinds {
				got := run(t, d.build(t, kind), &scratch, in, trunk.EveryRow)
				require.Greater(t, cosine(want, got), 0.99, mixture)
				require.NotContains(t, seen, got, mixture)
				seen = append(seen, got)
			}
		})
	}
}

// A few inputs that are far larger than the others cost matrices of bytes most of their precision,
// and nothing if they stand apart. The trunk tells which ones they are.
func TestLargeInputsStandApart(t *testing.T) {
	s := shapes["clip text"]
	d := describe(s)
	for i := range d.layers {
		for _, norm := range []*trunk.Norm{&d.layers[i].attentionNorm, &d.layers[i].feedforwardNorm} {
			norm.Gain[9], norm.Gain[30] = 40, -60
		}
		for _, l := range []*linear{&d.layers[i].query, &d.layers[i].key, &d.layers[i].value, &d.layers[i].up} {
			for _, row := range l.rows {
				row[9], row[30] = row[9]/64, row[30]/64
			}
		}
	}
	in := newTexts(s.config.Width, 1, 17, 70)
	var scratch trunk.Scratch
	want := run(t, d.build(t, always(abi.ScalarF32)), &scratch, in, trunk.EveryRow)
	rounded := d.build(t, always(abi.ScalarI8))
	seen := map[int]int{}
	copy(scratch.Hidden(len(in.rows)/in.width, in.width), in.rows)
	require.NoError(t, rounded.Inputs(&scratch, in.spans, func(layer int, feedforward bool, row []float32) {
		require.Len(t, row, s.config.Width)
		require.Greater(t, max(math.Abs(float64(row[9])), math.Abs(float64(row[30]))), 0.5)
		part := 2 * layer
		if feedforward {
			part++
		}
		seen[part]++
	}))
	require.Equal(t, map[int]int{0: 88, 1: 88, 2: 88, 3: 88}, seen)
	without := cosine(want, run(t, rounded, &scratch, in, trunk.EveryRow))
	d.apart = []int{9, 30}
	with := cosine(want, run(t, d.build(t, always(abi.ScalarI8)), &scratch, in, trunk.EveryRow))
	t.Logf("%.6f, %.6f with two of %d inputs apart", without, with, in.width)
	require.Less(t, 10*(1-with), 1-without)
}

func cosine(x, y []float32) float64 {
	var xx, xy, yy float64
	for i := range x {
		a, b := float64(x[i]), float64(y[i])
		xx, xy, yy = xx+a*a, xy+a*b, yy+b*b
	}
	return xy / math.Sqrt(xx*yy)
}

// A text has the same bits alone and in a batch, and one of its rows the same as among all.
func TestBitsDependOnNothingElse(t *testing.T) {
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			d, w := describe(s), s.config.Width
			in := newTexts(w, s.lengths()...)
			for _, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarI8} {
				built := d.build(t, always(kind))
				var scratch trunk.Scratch
				every := run(t, built, &scratch, in, trunk.EveryRow)
				first, last := run(t, built, &scratch, in, trunk.FirstRow), run(t, built, &scratch, in, trunk.LastRow)
				for i, span := range in.spans {
					alone := run(t, built, &trunk.Scratch{}, in.one(i), trunk.EveryRow)
					own := every[min(span.Start*w, len(every)):]
					if s.probe {
						own = every[i*w:]
					}
					require.Equal(t, own[:len(alone)], alone, "%v, %d tokens", kind, span.Length)
					require.Equal(t, alone[:w], first[i*w:][:w], "%v, %d tokens", kind, span.Length)
					require.Equal(t, alone[len(alone)-w:], last[i*w:][:w], "%v, %d tokens", kind, span.Length)
				}
			}
		})
	}
}

func TestTrunkWithoutLayers(t *testing.T) {
	built, err := trunk.New(&trunk.Config{Width: 2, Heads: 1, Hidden: 1}, nil)
	require.NoError(t, err)
	in := newTexts(2, 1, 3)
	var scratch trunk.Scratch
	require.Equal(t, in.rows, run(t, built, &scratch, in, trunk.EveryRow))
	require.Equal(t, append(in.rows[:2:2], in.rows[2:4]...), run(t, built, &scratch, in, trunk.FirstRow))
	require.Equal(t, append(in.rows[:2:2], in.rows[6:]...), run(t, built, &scratch, in, trunk.LastRow))
	states, err := built.Forward(&scratch, nil, trunk.EveryRow, nil)
	require.NoError(t, err)
	require.Empty(t, states)
}

func TestSteadyWorkAllocatesNothing(t *testing.T) {
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			in := newTexts(s.config.Width, s.lengths()...)
			for _, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarI8} {
				built := describe(s).build(t, always(kind))
				var scratch trunk.Scratch
				require.Zero(t, scratch.Bytes())
				forward := func() {
					copy(scratch.Hidden(len(in.rows)/in.width, in.width), in.rows)
					if _, err := built.Forward(&scratch, in.spans, trunk.EveryRow, nil); err != nil {
						t.Error(err)
					}
				}
				forward()
				held := scratch.Bytes()
				require.Positive(t, held)
				require.Zero(t, testing.AllocsPerRun(1, forward))
				require.Equal(t, held, scratch.Bytes())
			}
		})
	}
}

func TestStopEndsACall(t *testing.T) {
	s := shapes["modernbert"]
	built := describe(s).build(t, always(abi.ScalarF32))
	in := newTexts(s.config.Width, lengths...)
	var scratch trunk.Scratch
	want := run(t, built, &scratch, in, trunk.EveryRow)
	asked := 0
	call := func(last int) error {
		asked = 0
		copy(scratch.Hidden(len(in.rows)/in.width, in.width), in.rows)
		_, err := built.Forward(&scratch, in.spans, trunk.EveryRow, func() bool { asked++; return asked == last })
		return err
	}
	require.NoError(t, call(0))
	require.Greater(t, asked, 4*len(lengths))
	for _, last := range []int{1, 2, asked / 2, asked - 1, asked} {
		require.ErrorIs(t, call(last), errors.ErrCancelled)
		require.Equal(t, last, asked, "nothing is asked after a stop")
	}
	require.Equal(t, want, run(t, built, &scratch, in, trunk.EveryRow))
}

// Size counts every weight that is used: neither biases of keys nor those of values.
func TestSize(t *testing.T) {
	s := shapes["vit"]
	built := describe(s).build(t, always(abi.ScalarF32))
	matrices := 4*45*48 + 45*192 + 180*48 // outputs are padded to sixteen
	require.Equal(t, 2*4*(matrices+2*45+180+45+4*45+2*45), built.Size())
}
