package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// fence returns slices that touch a protected page, at their end or at their start. A kernel that
// reads or writes one byte beyond them ends the process.
type fence struct {
	t     *testing.T
	atEnd bool
}

func (f fence) bytes(count int) []byte {
	page := syscall.Getpagesize()
	room := (count + page - 1) / page * page
	mapped, err := syscall.Mmap(-1, 0, room+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { require.NoError(f.t, syscall.Munmap(mapped)) })
	require.NoError(f.t, syscall.Mprotect(mapped[:page], syscall.PROT_NONE))
	require.NoError(f.t, syscall.Mprotect(mapped[page+room:], syscall.PROT_NONE))
	if f.atEnd {
		return mapped[page+room-count : page+room : page+room]
	}
	return mapped[page : page+count : page+count]
}

func (f fence) floats(values []float32) []float32 {
	if len(values) == 0 {
		return nil
	}
	fenced := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(f.bytes(4*len(values))))), len(values))
	copy(fenced, values)
	return fenced
}

func (f fence) halves(values []uint16) []uint16 {
	if len(values) == 0 {
		return nil
	}
	fenced := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(f.bytes(2*len(values))))), len(values))
	copy(fenced, values)
	return fenced
}

func TestNothingIsTouchedBeyondTheSlices(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, atEnd := range []bool{true, false} {
			for n := range 36 {
				t.Run(fmt.Sprintf("end=%t/%d", atEnd, n), func(t *testing.T) {
					random := rand.New(rand.NewPCG(31, uint64(n)))
					f, values := fence{t, atEnd}, randomFloats(random, 2*n)
					x, y, z := f.floats(values[:n]), f.floats(values[n:]), f.floats(values[:n])
					h := f.halves(halves(values[:n]))
					require.Equal(t, kernel.Dot(values[:n], values[n:]), kernel.Dot(x, y))
					kernel.Add(x, y)
					kernel.Multiply(x, y)
					kernel.AddF16(x, h)
					kernel.AddBF16(x, h)
					kernel.AddInt8(x, f.bytes(n), 0.5)
					kernel.AddInt4(x, f.bytes((n+1)/2), 0.5)
					kernel.RMSNorm(z, x, y, 1e-6)
					kernel.LayerNorm(z, x, y, x, 1e-6)
					kernel.LayerNorm(z, x, nil, nil, 1e-6)
					kernel.Rotate(f.floats(values), x, y)
					for _, a := range activations {
						a.apply(x)
					}
					kernel.Softmax(y, 0.5)
					kernel.FromBF16(z, h)
					kernel.ToBF16(h, z)
					kernel.ToF16(h, z)
					kernel.FromF16(z, h)
					for rows := range 6 {
						kernel.DotsF32(f.floats(make([]float32, rows)), f.bytes(4*rows*n), x)
						kernel.DotsF16(f.floats(make([]float32, rows)), f.bytes(2*rows*n), x)
						kernel.DotsI8(f.floats(make([]float32, rows)), f.bytes(rows*n), x)
					}
				})
			}
			testGuardedGathers(t, fence{t, atEnd})
			testGuardedMedia(t, fence{t, atEnd})
		}
	})
}

func testGuardedGathers(t *testing.T, f fence) {
	random := rand.New(rand.NewPCG(33, 1))
	for _, columns := range []int{1, 2, 17, 31, 32, 33, 63, 64, 96, 97, 128, 144, 160, 191} {
		dst := f.floats(randomFloats(random, 3*columns))
		stride := (columns + 1) / 2
		g := kernel.Gather{
			Table: kernel.Int4{Bytes: f.bytes(3 * stride), Scales: f.floats(randomFloats(random, 3))},
			Rows:  []uint32{2, 0, 1, 2}, Ends: []int{2, 2, 4},
		}
		kernel.GatherInt4(dst, columns, &g)
		g.Head = kernel.Int4{Bytes: f.bytes(stride << 8), Scales: f.floats(randomFloats(random, 1<<8))}
		g.Heads = f.bytes(3)
		copy(g.Heads, []byte{0, 255, 7})
		kernel.GatherInt4(dst, columns, &g)
		sums := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(f.bytes(8*columns)))), columns)
		kernel.Accumulate(sums, dst)
	}
	for words := 1; words < 5; words++ {
		for count := 1; count < 4; count++ {
			hashes := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(f.bytes(8*count)))), count)
			kernel.AddSigns(f.floats(make([]float32, 64*words)), hashes, f.floats(randomFloats(random, count)))
		}
	}
}

func testGuardedMedia(t *testing.T, f fence) {
	for _, n := range []int{1, 2, 31, 32, 33, 34, 35, 65, 66, 67, 97} {
		near, far := f.bytes(n), f.bytes(n)
		kernel.UpsampleRows(f.bytes(n), near, far, 1)
		kernel.UpsampleColumns(f.bytes(2*n), near, 1, 2)
		kernel.UpsampleBoth(f.bytes(2*n), near, far, 8, 7)
		kernel.FullRange(f.bytes(3*n), near, far, near)
		kernel.LimitedRange(f.bytes(3*n), near, far, near)
		kernel.AddBytes(near, far)
		kernel.Paeth(f.bytes(3*n), f.bytes(3*n), 3)
		kernel.Paeth(f.bytes(4*n), f.bytes(4*n), 4)
		kernel.WeighRows(f.floats(make([]float32, n)), f.bytes(3*(n+1)+n), n+1, f.floats(make([]float32, 4)))
		kernel.FilterTriples(f.floats(make([]float32, 6)), f.floats(make([]float32, 24*n+3)), f.floats(make([]float32, 16*n)),
			[]kernel.Window{{First: 0, Groups: n}, {First: 1, Groups: n}})
	}
	for _, n := range []int{1, 2, 5} {
		weights := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(f.bytes(2*8*n*4)))), 2*8*n)
		for _, length := range []int{1, 63, 64, 100} {
			kernel.WeighRowsBytes(f.bytes(length), f.bytes(length*2*8*n), length, weights)
		}
		// Its last groups reach beyond the pixels.
		kernel.FilterTriplesBytes(f.bytes(18), 6, f.bytes(24*n*3-9), 24*n, 3, weights, []kernel.Window{{Groups: n}, {First: 1, Groups: n}})
	}
	for _, count := range []int{1, 2, 7} {
		samples := f.floats(make([]float32, 64+(count-1)+(count-1)*2/3))
		kernel.Convolve(f.floats(make([]float32, count)), samples, f.floats(make([]float32, 3*64)), 64, 0, 1, 2)
	}
	var bank kernel.Bank
	granule := func() *kernel.Granule { return (*kernel.Granule)(f.floats(make([]float32, 576))) }
	bank.Synthesize(granule(), granule(), (*[512]float32)(f.floats(make([]float32, 512))))
	kernel.Combine((*[24]float32)(f.floats(make([]float32, 24))), f.floats(make([]float32, 72)), f.floats(make([]float32, 3)))
	for stride := 8; stride < 12; stride++ {
		for kind := range 4 {
			kernel.Smooth(f.bytes(7*stride+8), f.bytes(7*stride+8), stride, kind&1 > 0, kind&2 > 0, kernel.Edge{Limit: 99, Inner: 9, Variance: 1})
		}
	}
	block := (*[64]int16)(unsafe.Pointer(unsafe.SliceData(f.bytes(128))))
	quantizers := (*[64]uint16)(unsafe.Pointer(unsafe.SliceData(f.bytes(128))))
	for stride := 8; stride < 20; stride++ {
		kernel.Inverse(f.bytes(7*stride+8), stride, block, quantizers)
	}
}

// Packed weights are in Go's heap, whose end is not protected, so here the panels are passed to the
// loops directly.
func TestProductTouchesNothingBeyondTheSlices(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(32, 1))
		for _, atEnd := range []bool{true, false} {
			f := fence{t, atEnd}
			for rows := 1; rows <= 13; rows++ {
				for _, depth := range []int{1, 3, 4, 5, 21} {
					x := f.floats(randomFloats(random, rows*depth))
					for _, columns := range []int{1, 7, 8, 9, 16, 32, 33, 48} {
						panels := randomFloats(random, depth*((columns+15)/16*16))
						full, half := f.floats(panels), f.halves(halves(panels))
						dst := f.floats(make([]float32, rows*columns))
						kernel.BlockF32(dst, x, rows, full, columns, columns%2 == 0)
						kernel.BlockBF16(dst, x, rows, half, columns, columns%2 == 0)
					}
				}
			}
		}
	})
}
