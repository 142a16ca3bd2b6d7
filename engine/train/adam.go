package train

import "math"

// updateScalars is how many elements one task takes in passes over all elements of a model.
const updateScalars = 1 << 14

// measure returns the length of the whole gradient, computed in 64 bits.
func (p *parameters) measure(spread Spread, sums *[]float64) float64 {
	parts := grow(sums, (len(p.gradients)+updateScalars-1)/updateScalars)
	spread.each(len(p.gradients), updateScalars, func(part, begin, end int) {
		var sums [4]float64
		gradients := p.gradients[begin:end]
		for ; len(gradients) >= 4; gradients = gradients[4:] {
			four := (*[4]float32)(gradients)
			sums[0] += float64(four[0]) * float64(four[0])
			sums[1] += float64(four[1]) * float64(four[1])
			sums[2] += float64(four[2]) * float64(four[2])
			sums[3] += float64(four[3]) * float64(four[3])
		}
		for _, g := range gradients {
			sums[0] += float64(g) * float64(g)
		}
		parts[part] = sums[0] + sums[1] + sums[2] + sums[3]
	})
	var sum float64
	for _, part := range parts {
		sum += part
	}
	return math.Sqrt(sum)
}

// adam is one step of AdamW. The moments follow the gradient times clip. Weights move against the
// first moment over the root of the second, both corrected for their start at zero, and those of
// matrices also shrink by the rate times the decay. The gradients are zero afterwards.
type adam struct {
	rate, decay, beta1, beta2, epsilon, clip float64
	step                                     uint64
}

func (p *parameters) update(spread Spread, a adam) {
	for _, t := range p.all {
		switch {
		case t.decays:
			t.update(spread, a, a.decay)
		case !t.fixed:
			t.update(spread, a, 0)
		}
	}
}

func (t *parameter) update(spread Spread, a adam, decay float64) {
	b1, b2, clip := float32(a.beta1), float32(a.beta2), float32(a.clip)
	c1, c2 := 1-math.Pow(a.beta1, float64(a.step)), 1-math.Pow(a.beta2, float64(a.step))
	rate, epsilon, keep := float32(a.rate*math.Sqrt(c2)/c1), float32(a.epsilon*math.Sqrt(c2)), float32(1-a.rate*decay)
	spread.each(len(t.weights), updateScalars, func(_, begin, end int) {
		weights := t.weights[begin:end]
		gradient, first, second := t.gradient[begin:end][:len(weights)], t.first[begin:end][:len(weights)], t.second[begin:end][:len(weights)]
		for i, g := range gradient {
			g *= clip
			m := b1*first[i] + (1-b1)*g
			v := b2*second[i] + (1-b2)*g*g
			first[i], second[i] = m, v
			weights[i] = weights[i]*keep - rate*m/(float32(math.Sqrt(float64(v)))+epsilon)
			gradient[i] = 0
		}
	})
}
