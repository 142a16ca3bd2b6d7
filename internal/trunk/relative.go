package trunk

import "math"

// relative is a bias of scores by the distance of the key from the query, as MPNet has it, as rows
// that can be added to scores before their scale.
type relative struct {
	// heads has a row of 2·farthest+1 scalars for each head, one for each distance from −farthest
	// to farthest. Beyond those a bias stays the same.
	heads [][]float32
}

// farthest is the distance from which on there is one bucket, in each direction.
const farthest = 91

// nearest are the distances at which the buckets of one direction begin, after those of a single
// distance.
var nearest = [...]int{8, 12, 16, 23, 32, 46, 64, farthest}

// bucket returns the row of the bias of a distance, which is positive for keys after the query.
func bucket(distance int) int {
	first := 0
	if distance > 0 {
		first = buckets / 2
	} else {
		distance = -distance
	}
	if distance < nearest[0] {
		return first + distance
	}
	last := nearest[0] - 1
	for _, start := range nearest {
		if distance >= start {
			last++
		}
	}
	return first + last
}

func newRelative(config *Config) *relative {
	r := &relative{}
	unscaled := math.Sqrt(float64(config.Width / config.Heads))
	for head := range config.Heads {
		row := make([]float32, 2*farthest+1)
		for i := range row {
			row[i] = float32(float64(config.RelativeBias[bucket(i-farthest)*config.Heads+head]) * unscaled)
		}
		r.heads = append(r.heads, row)
	}
	return r
}

// upTo returns the biases of a head for texts of a length: index length−1+distance is that of a
// distance. They are in the memory of own if the text is long, until the next call.
func (r *relative) upTo(own *Scratch, head, length int) []float32 {
	near := r.heads[head]
	if length <= farthest+1 {
		return near[farthest+1-length:][:2*length-1]
	}
	all := grow(&own.biases, 2*length-1)
	before, after := all[:length-1-farthest], all[length+farthest:]
	for i := range before {
		before[i] = near[0]
	}
	copy(all[len(before):], near)
	for i := range after {
		after[i] = near[2*farthest]
	}
	return all
}
