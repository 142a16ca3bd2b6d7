package kernel

import (
	"os"
	"sync/atomic"
)

// routines are the innermost loops of one path. Everything in the package reaches them through
// [current], and every path keeps the order of each sum independent of the number of rows.
//
// To add a routine: a field here, its portable loop in [portable], and faster versions in the
// tables of the paths.
type routines struct {
	// path is the table's name in the environment variable.
	path string

	// blockF32 multiplies rows with one block of every panel; blockBF16 does so with panels of
	// bf16, whose columns are in the order of lane; blockBytes with rows and panels of bytes.
	blockF32   func(block[float32])
	blockBF16  func(block[uint16])
	blockBytes func(byteBlock)
	// extremes returns the lowest and the highest of x, and 0, or NaN if one of x is not finite.
	extremes func(x []float32) (low, high float32)
	// quantizeRows rounds as many rows of x as b has scales, at least one, to b.
	quantizeRows func(b *Bytes, x []float32, xStride, columns int)
	// signedRows rounds rows of weights to p, which is zero and has their number and length.
	signedRows func(p *PackedBytes, w []float32, stride int)

	dot            func(x, y []float32) float32
	add            func(dst, x []float32)
	multiply       func(dst, x []float32)
	addF16         func(dst []float32, x []uint16)
	addBF16        func(dst []float32, x []uint16)
	addInt8        func(dst []float32, x []byte, scale float32)
	addInt4        func(dst []float32, x []byte, scale float32)
	gatherInt4     func(dst []float32, columns int, g *Gather)
	addSigns       func(dst []float32, hashes []uint64, w []float32)
	accumulate     func(sum []float64, rows []float32)
	normalize      func(dst, x, gain []float32, epsilon float64)
	layerNorm      func(dst, x, gain, bias []float32, epsilon float64)
	rotate         func(x, cos, sin []float32)
	exponentials   func(x []float32, scale float32) float64
	scale          func(x []float32, factor float32)
	activate       func(x []float32, function activation)
	floatsFromF16  func(dst []float32, src []uint16)
	floatsFromBF16 func(dst []float32, src []uint16)

	// sixteenRows and sixteenColumns fill a panel's block of depth lines of sixteen scalars, with
	// zeroes where there are fewer than sixteen. In sixteenRows, line i takes scalar i of each of
	// count rows of x; in sixteenColumns, count scalars of row i of x. Rows are stride apart.
	sixteenRows    func(lines, x []float32, stride, count, depth int)
	sixteenColumns func(lines, x []float32, stride, count, depth int)

	// dotsF32, dotsF16 and dotsI8 multiply one query with many rows, whose length is checked.
	dotsF32, dotsF16, dotsI8 func(dst []float32, rows []byte, query []float32)
}

// portable has every routine, in plain Go.
var portable = routines{
	path:           "portable",
	blockF32:       func(b block[float32]) { b.eachPanel(panelF32Portable) },
	blockBF16:      func(b block[uint16]) { b.eachPanel(panelBF16Portable) },
	blockBytes:     blockBytesPortable,
	extremes:       extremesPortable,
	quantizeRows:   quantizeRowsPortable,
	signedRows:     signedRowsPortable,
	dot:            dotPortable,
	add:            addPortable,
	multiply:       multiplyPortable,
	addF16:         addF16Portable,
	addBF16:        addBF16Portable,
	addInt8:        addInt8Portable,
	addInt4:        addInt4Portable,
	gatherInt4:     gatherInt4Portable,
	addSigns:       addSignsPortable,
	accumulate:     accumulatePortable,
	normalize:      normalizePortable,
	layerNorm:      layerNormPortable,
	rotate:         rotatePortable,
	exponentials:   exponentialsPortable,
	scale:          scalePortable,
	activate:       activatePortable,
	floatsFromF16:  floatsFromF16Portable,
	floatsFromBF16: floatsFromBF16Portable,
	sixteenRows:    sixteenRowsPortable,
	sixteenColumns: sixteenColumnsPortable,
	dotsF32:        dotsF32Portable,
	dotsF16:        dotsF16Portable,
	dotsI8:         dotsI8Portable,
}

// pathVariable forces a path, for comparison or debugging: portable, neon, avx2 or avx512. It is
// read at the first use of the package. An unknown name, or a path that this machine lacks, is
// ignored.
const pathVariable = "UFORM_KERNEL"

var chosen atomic.Pointer[routines]

// current returns the routines of the process. There is one choice for all, so that equal inputs
// have equal bits.
func current() *routines {
	if r := chosen.Load(); r != nil {
		return r
	}
	return decide()
}

// decide may run on several goroutines at once; the first to finish decides for all.
func decide() *routines {
	chosen.CompareAndSwap(nil, choose(os.Getenv(pathVariable), available()))
	return chosen.Load()
}

// choose returns the path of that name if it is available, and otherwise the first of available,
// which is the best.
func choose(name string, available []*routines) *routines {
	for _, r := range available {
		if r.path == name {
			return r
		}
	}
	return available[0]
}
