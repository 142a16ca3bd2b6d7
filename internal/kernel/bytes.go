package kernel

import "math"

// PackedBytes is a matrix W of outputs rows and inputs columns in signed bytes, with a scale for
// each row, laid out for products with [Bytes]. Any number of goroutines may multiply.
//
// The layout is that of [Packed], except that a line has four inputs of each of the sixteen
// outputs, side by side; inputs that pad the last line of a block have weight zero.
type PackedBytes struct {
	outputs, inputs int
	weights         []int8
	scales          []float32 // of each output, those that pad the last panel included
	sums            []float32 // of each output's weights in a block of Depth inputs, block by block
}

// quad is how many inputs a line has.
const quad = 4

func quads(inputs int) int { return (inputs + quad - 1) / quad }

// PackInt8 packs a matrix. row is called once for each output, in order, and fills dst with its
// inputs weights; dst is reused between calls. The largest weight of an output becomes ±127, and
// the others are rounded to the nearest step, ties to even.
func PackInt8(outputs, inputs int, row func(output int, dst []float32)) *PackedBytes {
	p := new(PackedBytes)
	p.reshape(outputs, inputs)
	onHugePages(p.weights)
	weights, with := make([]float32, inputs), current()
	for output := range outputs {
		row(output, weights)
		low, high := with.extremes(weights)
		p.set(output, weights, max(-low, high))
	}
	return p
}

// Rows repacks p with the matrix whose output j has the weights w[j·stride : j·stride+inputs],
// rounded as [PackInt8] does. Memory is reused where it suffices.
func (p *PackedBytes) Rows(w []float32, stride, outputs, inputs int) {
	p.reshape(outputs, inputs)
	current().signedRows(p, w, stride)
}

func signedRowsPortable(p *PackedBytes, w []float32, stride int) {
	for output := range p.outputs {
		weights := w[output*stride:][:p.inputs]
		low, high := extremesPortable(weights)
		p.set(output, weights, max(-low, high))
	}
}

func (p *PackedBytes) reshape(outputs, inputs int) {
	padded, blocks := panels(outputs)*panelWidth, (inputs+Depth-1)/Depth
	p.outputs, p.inputs = outputs, inputs
	p.weights = cleared(p.weights, padded*quads(inputs)*quad)
	p.scales, p.sums = cleared(p.scales, padded), cleared(p.sums, padded*blocks)
}

// cleared returns size zeroes, in the memory of v if it is large enough.
func cleared[T any](v []T, size int) []T {
	if cap(v) < size {
		return make([]T, size)
	}
	v = v[:size]
	clear(v)
	return v
}

// set rounds the weights of an output of a matrix that was zero. largest is the largest of them
// without their signs, or NaN if one is not finite.
func (p *PackedBytes) set(output int, weights []float32, largest float32) {
	p.scales[output] = largest / 127
	inverse := 127 / largest
	if !(largest > 0) || math.IsInf(float64(inverse), 0) {
		return
	}
	padded := panels(p.outputs) * panelWidth
	for block := 0; block*Depth < p.inputs; block++ {
		source := weights[block*Depth : min(p.inputs, (block+1)*Depth)]
		to, sum := p.weights[p.at(output, block):], int32(0)
		for len(source) >= quad {
			q0, q1 := signedByte(source[0]*inverse), signedByte(source[1]*inverse)
			q2, q3 := signedByte(source[2]*inverse), signedByte(source[3]*inverse)
			to[0], to[1], to[2], to[3] = q0, q1, q2, q3
			sum += int32(q0) + int32(q1) + int32(q2) + int32(q3)
			source = source[quad:]
			to = to[min(len(to), panelWidth*quad):]
		}
		for i, w := range source {
			to[i] = signedByte(w * inverse)
			sum += int32(to[i])
		}
		p.sums[block*padded+output] = float32(sum)
	}
}

// signedByte rounds v, which is at most 127 up to rounding, to an integer, ties to even, by adding
// a float so large that its lowest bit has the value 1.
func signedByte(v float32) int8 { return int8(math.Float32bits(float32(v) + 0x1.8p23)) }

// at returns the index of an output's weights in a block.
func (p *PackedBytes) at(output, block int) int {
	start := block * Depth
	depth := quads(min(Depth, p.inputs-start)) * quad
	first := output / panelWidth * panelWidth
	return start*panels(p.outputs)*panelWidth + first*depth + (output-first)*quad
}

// Outputs returns the number of rows of W, the width of a product's result.
func (p *PackedBytes) Outputs() int { return p.outputs }

// Inputs returns the number of columns of W, the width of a product's operand.
func (p *PackedBytes) Inputs() int { return p.inputs }

// Bytes returns the memory of the packed weights, in bytes.
func (p *PackedBytes) Bytes() int { return cap(p.weights) + 4*(cap(p.scales)+cap(p.sums)) }

// Product is [Packed.Product] with rows of x that were rounded to bytes.
func (p *PackedBytes) Product(dst []float32, dstStride int, x *Bytes, rows int) {
	p.product(dst, dstStride, x, rows, p.all(false))
}

// ProductAdd is [PackedBytes.Product] that adds to dst.
func (p *PackedBytes) ProductAdd(dst []float32, dstStride int, x *Bytes, rows int) {
	p.product(dst, dstStride, x, rows, p.all(true))
}

// ProductOutputs is [Packed.ProductOutputs].
func (p *PackedBytes) ProductOutputs(dst []float32, dstStride int, x *Bytes, rows int, outputs Span) {
	p.product(dst, dstStride, x, rows, part{outputs, Span{0, p.inputs}, false})
}

// ProductAddOutputs is [Packed.ProductAddOutputs].
func (p *PackedBytes) ProductAddOutputs(dst []float32, dstStride int, x *Bytes, rows int, outputs Span) {
	p.product(dst, dstStride, x, rows, part{outputs, Span{0, p.inputs}, true})
}

// ProductAddInputs is [Packed.ProductAddInputs].
func (p *PackedBytes) ProductAddInputs(dst []float32, dstStride int, x *Bytes, rows int, inputs Span) {
	p.product(dst, dstStride, x, rows, part{Span{0, p.outputs}, inputs, true})
}

func (p *PackedBytes) all(accumulate bool) part {
	return part{Span{0, p.outputs}, Span{0, p.inputs}, accumulate}
}

func (p *PackedBytes) product(dst []float32, dstStride int, x *Bytes, rows int, of part) {
	with := current()
	padded := panels(p.outputs) * panelWidth
	for start := of.inputs.First; start < of.inputs.End; start += Depth {
		b := byteBlock{
			dst: dst, dstStride: dstStride, x: x.values[start-of.inputs.First:], xStride: x.stride,
			quads: quads(min(Depth, of.inputs.End-start)), rowScales: x.scales, rowZeros: x.zeros,
			weights: p.weights[p.at(of.outputs.First, start/Depth):], scales: p.scales[of.outputs.First:],
			sums: p.sums[start/Depth*padded+of.outputs.First:], columns: of.outputs.End - of.outputs.First,
			accumulate: of.accumulate || start > of.inputs.First,
		}
		for row := 0; row < rows; row += blockRows {
			b.rows = Span{row, min(rows, row+blockRows)}
			with.blockBytes(b)
		}
	}
}

// byteBlock is the product of some rows with some outputs of one block of inputs.
type byteBlock struct {
	dst                 []float32
	dstStride           int
	x                   []byte
	xStride             int
	rows                Span
	quads               int
	rowScales, rowZeros []float32
	weights             []int8
	scales, sums        []float32
	columns             int
	accumulate          bool
}

func blockBytesPortable(b byteBlock) {
	for row := b.rows.First; row < b.rows.End; row++ {
		x, to := b.x[row*b.xStride:][:quad*b.quads], b.dst[row*b.dstStride:][:b.columns]
		for c := range to {
			weights := b.weights[c/panelWidth*panelWidth*quad*b.quads+c%panelWidth*quad:]
			var sum int32
			for q := range b.quads {
				four, w := (*[quad]byte)(x[q*quad:]), (*[quad]int8)(weights[q*panelWidth*quad:])
				sum += int32(four[0])*int32(w[0]) + int32(four[1])*int32(w[1]) + int32(four[2])*int32(w[2]) + int32(four[3])*int32(w[3])
			}
			// The difference is exact: neither side has more than 24 bits.
			v := (float32(sum) - float32(b.rowZeros[row]*b.sums[c])) * b.scales[c] * b.rowScales[row]
			if b.accumulate {
				v += to[c]
			}
			to[c] = v
		}
	}
}

// Bytes are rows of activations rounded to 0 … 127, each with its own scale and zero, so that a
// row's lowest and highest scalar are the ends of the range. The eighth bit is unused: two products
// of such a byte and a signed one fit into 16 bits. The zero value is ready.
type Bytes struct {
	values        []byte
	stride        int
	scales, zeros []float32
}

// Bytes returns the memory that b holds, in bytes.
func (b *Bytes) Bytes() int { return cap(b.values) + 4*(cap(b.scales)+cap(b.zeros)) }

// Quantize stores rows rows of columns scalars, rounded row by row. Memory is reused if it is large
// enough.
func (b *Bytes) Quantize(x []float32, xStride, rows, columns int) {
	// A multiple of 64 that is not one of 4096, so that rows do not share lines of the first-level
	// cache.
	b.stride = (columns+63)&^63 | 64
	if size := rows * b.stride; cap(b.values) < size {
		b.values = make([]byte, size)
	}
	if cap(b.scales) < rows {
		b.scales, b.zeros = make([]float32, rows), make([]float32, rows)
	}
	b.values, b.scales, b.zeros = b.values[:rows*b.stride], b.scales[:rows], b.zeros[:rows]
	if rows == 0 {
		return
	}
	if padded := quads(columns) * quad; padded > columns {
		for i := range rows {
			clear(b.values[i*b.stride:][columns:padded])
		}
	}
	current().quantizeRows(b, x, xStride, columns)
}

// extremesPortable returns the lowest and the highest of x, and 0, or NaN if one of x is not
// finite.
func extremesPortable(x []float32) (low, high float32) {
	var finite float32 // 0, or NaN
	for _, v := range x {
		low, high = min(low, v), max(high, v)
		finite += v * 0
	}
	return low + finite, high + finite
}

func quantizeRowsPortable(b *Bytes, x []float32, xStride, columns int) {
	for i := range b.scales {
		row, to := x[i*xStride:][:columns], b.values[i*b.stride:][:columns]
		low, high := extremesPortable(row)
		step := (high - low) / 127
		inverse, zero := float32(0), int32(0)
		if step > 0 && !math.IsInf(float64(1/step), 0) {
			inverse = 1 / step
			zero = int32(math.RoundToEven(float64(-low * inverse)))
		}
		for c, v := range row {
			to[c] = byte(max(0, min(127, int32(math.RoundToEven(float64(v*inverse)))+zero)))
		}
		b.scales[i], b.zeros[i] = step, float32(zero)
	}
}
