package trunk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

func TestLinear(t *testing.T) {
	weights := [][]float32{{1, 2}, {3, 4}, {5, 6}}
	for _, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarBF16, abi.ScalarI8} {
		l := trunk.Linear{Weight: trunk.Pack(kind, 3, 2, func(row int, dst []float32) { copy(dst, weights[row]) })}
		require.False(t, l.Weight.Missing())
		require.Equal(t, kind == abi.ScalarI8, l.Weight.Bytes != nil)
		require.Equal(t, 3, l.Weight.Outputs())
		require.Equal(t, 2, l.Weight.Inputs())
		require.Positive(t, l.Weight.Size())
		var scratch trunk.Scratch
		x, y := []float32{1, -1, 9, 0, 2, 9}, make([]float32, 8)
		l.Apply(&scratch, y, 4, x, 3, 2)
		require.InDeltaSlice(t, []float32{-1, -1, -1, 0, 4, 8, 12, 0}, y, 0.2, kind)
		l.Bias = []float32{10, 20, 30}
		l.Apply(&scratch, y, 4, x, 3, 2)
		require.InDeltaSlice(t, []float32{9, 19, 29, 0, 14, 28, 42, 0}, y, 0.2, kind)
	}
	var missing trunk.Matrix
	require.True(t, missing.Missing())
	require.Zero(t, missing.Size())
}

func TestNorm(t *testing.T) {
	x := []float32{1, 3}
	for _, test := range []struct {
		norm trunk.Norm
		kind trunk.NormKind
		want []float32
	}{
		{trunk.Norm{}, trunk.LayerNorm, []float32{1, 3}},
		{trunk.Norm{Gain: []float32{1, 2}}, trunk.LayerNorm, []float32{-0.5, 1}},
		{trunk.Norm{Gain: []float32{1, 2}, Bias: []float32{5, 6}}, trunk.LayerNorm, []float32{4.5, 7}},
		{trunk.Norm{Gain: []float32{1, 2}}, trunk.RMSNorm, []float32{0.353553, 2.121320}},
	} {
		dst := make([]float32, 2)
		test.norm.Apply(dst, x, test.kind, 3) // 1 + 3 and 5 + 3 under the root
		require.InDeltaSlice(t, test.want, dst, 1e-6)
	}
}
