package trunk

import "github.com/unum-cloud/uform-go/internal/kernel"

// Linear is y = W·x + bias. Bias may be nil.
type Linear struct {
	Weight Matrix
	Bias   []float32
}

// Apply computes y for count rows of x, on the calling goroutine. Strides are in scalars; dst must
// not overlap x. Rows that a matrix of bytes rounds are in the memory of s.
func (l *Linear) Apply(s *Scratch, dst []float32, dstStride int, x []float32, xStride, count int) {
	rows := operand{rows: x, stride: xStride, count: count, columns: l.Weight.Inputs(), buffer: &s.rounded, apart: &s.apart}
	l.apply(dst, dstStride, &rows, l.Weight.all())
}

// apply computes some outputs of y, as [Matrix.product] does. Sums start with the bias.
func (l *Linear) apply(dst []float32, stride int, x *operand, outputs kernel.Span) {
	switch {
	case l.Weight.Columns != nil:
		l.Weight.begin(dst, stride, x, outputs)
	case l.Bias == nil:
		l.Weight.product(dst, stride, x, outputs)
		return
	default:
		kernel.Broadcast(dst, stride, x.count, l.Bias[outputs.First:outputs.End])
	}
	l.Weight.productAdd(dst, stride, x, outputs)
}

func (l *Linear) size() int { return l.Weight.Size() + 4*len(l.Bias) }

// Norm is the weights of a norm, of which Bias may be nil. Without a Gain it is the identity.
type Norm struct{ Gain, Bias []float32 }

// Apply writes the norm of the row x to dst, which may be x.
func (n *Norm) Apply(dst, x []float32, kind NormKind, epsilon float64) {
	switch {
	case n.Gain == nil:
		copy(dst, x)
	case kind == LayerNorm:
		kernel.LayerNorm(dst, x, n.Gain, n.Bias, epsilon)
	default:
		kernel.RMSNorm(dst, x, n.Gain, epsilon)
	}
}

func (n *Norm) size() int { return 4 * (len(n.Gain) + len(n.Bias)) }
