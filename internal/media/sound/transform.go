package sound

import "math"

// transform is the discrete Fourier transform of one length: Σ x[n]·exp(−2πi·kn/length). A length
// whose prime factors are small is split into them; any other goes through a convolution of a power
// of two.
type transform struct {
	length int
	stages []stage
	chirp  *chirp
}

// stage is one factor of the length: transforms of radix values that are span·stride apart, for
// each of span places in each of stride runs. The outputs are multiplied by their twiddle factors
// and stored side by side, so that the last stage leaves them in order.
type stage struct {
	radix, span, stride int
	turns               []complex128 // exp(−2πi·pk/(radix·span)) by place p and output k > 0
	roots               []complex128 // exp(−2πi·k/radix)
}

// chirp makes a transform a convolution with exp(πi·n²/length).
type chirp struct {
	inner    *transform
	waves    []complex128 // exp(−πi·n²/length)
	spectrum []complex128 // of the convolution's kernel, divided by the inner length
}

const largestRadix = 13

func newTransform(length int) *transform {
	t := &transform{length: length}
	rest, stride := length, 1
	for _, radix := range []int{4, 2, 3, 5, 7, 11, largestRadix} {
		for rest%radix == 0 && rest > 1 {
			rest /= radix
			t.stages = append(t.stages, newStage(radix, rest, stride))
			stride *= radix
		}
	}
	if rest > 1 {
		t.stages, t.chirp = nil, newChirp(length)
	}
	return t
}

// turn returns exp(−2πi·numerator/denominator).
func turn(numerator, denominator int) complex128 {
	sine, cosine := math.Sincos(2 * math.Pi * float64(numerator%denominator) / float64(denominator))
	return complex(cosine, -sine)
}

func newStage(radix, span, stride int) stage {
	s := stage{radix: radix, span: span, stride: stride}
	for p := range span {
		for k := 1; k < radix; k++ {
			s.turns = append(s.turns, turn(p*k, radix*span))
		}
	}
	for k := range radix {
		s.roots = append(s.roots, turn(k, radix))
	}
	return s
}

func newChirp(length int) *chirp {
	size := 1
	for size < 2*length-1 {
		size *= 2
	}
	c := &chirp{inner: newTransform(size)}
	kernel := make([]complex128, size)
	for n := range length {
		wave := turn(n*n%(2*length), 2*length)
		c.waves = append(c.waves, wave)
		back := complex(real(wave), -imag(wave)) / complex(float64(size), 0)
		kernel[n] = back
		kernel[(size-n)%size] = back
	}
	c.spectrum = append(c.spectrum, c.inner.run(kernel, make([]complex128, size))...)
	return c
}

// scratch returns the number of values that run needs in its second argument, and in its first, of
// which the first length are the input.
func (t *transform) scratch() int {
	if t.chirp != nil {
		return t.chirp.inner.length
	}
	return t.length
}

// run transforms the first length values of x. It overwrites x and y and returns the one that holds
// the result.
func (t *transform) run(x, y []complex128) []complex128 {
	if t.chirp != nil {
		return t.convolve(x, y)
	}
	for i := range t.stages {
		s := &t.stages[i]
		switch s.radix {
		case 2:
			s.two(x, y)
		case 3:
			s.three(x, y)
		case 4:
			s.four(x, y)
		case 5:
			s.five(x, y)
		default:
			s.any(x, y)
		}
		x, y = y, x
	}
	return x[:t.length]
}

// convolve transforms a length that has a large prime factor.
func (t *transform) convolve(x, y []complex128) []complex128 {
	c := t.chirp
	for n, wave := range c.waves {
		x[n] *= wave
	}
	clear(x[t.length:c.inner.length])
	product := c.inner.run(x, y)
	other := x
	if &product[0] == &x[0] {
		other = y
	}
	// The inverse transform is the forward one between two conjugations.
	for i, factor := range c.spectrum {
		value := product[i] * factor
		product[i] = complex(real(value), -imag(value))
	}
	result := c.inner.run(product, other)[:t.length]
	for n, wave := range c.waves {
		result[n] = complex(real(result[n]), -imag(result[n])) * wave
	}
	return result
}

func (s *stage) two(x, y []complex128) {
	half := s.span * s.stride
	for p := range s.span {
		w := s.turns[p]
		a, b := x[p*s.stride:][:s.stride], x[half+p*s.stride:][:s.stride]
		to := y[2*p*s.stride:][:2*s.stride]
		for q, v := range a {
			to[q], to[s.stride+q] = v+b[q], (v-b[q])*w
		}
	}
}

func (s *stage) three(x, y []complex128) {
	sine := math.Sqrt(3) / 2
	apart := s.span * s.stride
	for p := range s.span {
		w1, w2 := s.turns[2*p], s.turns[2*p+1]
		a, b, c := x[p*s.stride:][:s.stride], x[apart+p*s.stride:][:s.stride], x[2*apart+p*s.stride:][:s.stride]
		to := y[3*p*s.stride:][:3*s.stride]
		for q, v := range a {
			sum, difference := b[q]+c[q], b[q]-c[q]
			middle := v - complex(real(sum)/2, imag(sum)/2)
			side := complex(imag(difference)*sine, -real(difference)*sine)
			to[q] = v + sum
			to[s.stride+q] = (middle + side) * w1
			to[2*s.stride+q] = (middle - side) * w2
		}
	}
}

func (s *stage) four(x, y []complex128) {
	apart := s.span * s.stride
	for p := range s.span {
		w1, w2, w3 := s.turns[3*p], s.turns[3*p+1], s.turns[3*p+2]
		from := x[p*s.stride:]
		a, b, c, d := from[:s.stride], from[apart:][:s.stride], from[2*apart:][:s.stride], from[3*apart:][:s.stride]
		to := y[4*p*s.stride:][:4*s.stride]
		for q, v := range a {
			even, odd := v+c[q], v-c[q]
			sum, difference := b[q]+d[q], b[q]-d[q]
			turned := complex(imag(difference), -real(difference))
			to[q] = even + sum
			to[s.stride+q] = (odd + turned) * w1
			to[2*s.stride+q] = (even - sum) * w2
			to[3*s.stride+q] = (odd - turned) * w3
		}
	}
}

func (s *stage) five(x, y []complex128) {
	near, far := s.roots[1], s.roots[2]
	apart := s.span * s.stride
	for p := range s.span {
		w := s.turns[4*p:][:4]
		from := x[p*s.stride:]
		a, b, c := from[:s.stride], from[apart:][:s.stride], from[2*apart:][:s.stride]
		d, e := from[3*apart:][:s.stride], from[4*apart:][:s.stride]
		to := y[5*p*s.stride:][:5*s.stride]
		for q, v := range a {
			outer, outerSide := b[q]+e[q], b[q]-e[q]
			inner, innerSide := c[q]+d[q], c[q]-d[q]
			first := v + complex(real(outer)*real(near)+real(inner)*real(far), imag(outer)*real(near)+imag(inner)*real(far))
			second := v + complex(real(outer)*real(far)+real(inner)*real(near), imag(outer)*real(far)+imag(inner)*real(near))
			// The differences are multiplied by i.
			firstSide := complex(
				-imag(outerSide)*imag(near)-imag(innerSide)*imag(far),
				real(outerSide)*imag(near)+real(innerSide)*imag(far))
			secondSide := complex(
				-imag(outerSide)*imag(far)+imag(innerSide)*imag(near),
				real(outerSide)*imag(far)-real(innerSide)*imag(near))
			to[q] = v + outer + inner
			to[s.stride+q] = (first + firstSide) * w[0]
			to[2*s.stride+q] = (second + secondSide) * w[1]
			to[3*s.stride+q] = (second - secondSide) * w[2]
			to[4*s.stride+q] = (first - firstSide) * w[3]
		}
	}
}

func (s *stage) any(x, y []complex128) {
	apart := s.span * s.stride
	for p := range s.span {
		for q := range s.stride {
			for k := range s.radix {
				var sum complex128
				for j := range s.radix {
					sum += x[q+p*s.stride+j*apart] * s.roots[j*k%s.radix]
				}
				if k > 0 {
					sum *= s.turns[p*(s.radix-1)+k-1]
				}
				y[q+(s.radix*p+k)*s.stride] = sum
			}
		}
	}
}
