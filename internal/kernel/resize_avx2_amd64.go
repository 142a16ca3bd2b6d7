package kernel

// mostWeighed is how many products one call of assembly makes: some microseconds, in which the
// goroutine cannot be preempted.
const mostWeighed = 1 << 16

func weighRowsAVX2(dst []float32, rows []byte, stride int, weights []float32) {
	const lanes = 64
	if len(dst) < lanes || len(weights) == 0 {
		weighRowsPortable(dst, rows, stride, weights)
		return
	}
	_ = rows[(len(weights)-1)*stride:][:len(dst)]
	piece := max(mostWeighed/len(weights)&^(lanes-1), lanes)
	for at := 0; at < len(dst); at += piece {
		count := min(piece, len(dst)-at) &^ (lanes - 1)
		if count > 0 {
			weighRowsx64(&dst[at], &rows[at], stride, &weights[0], len(weights), count)
		}
	}
	// The last sums may be made twice.
	last := len(dst) - lanes
	weighRowsx64(&dst[last], &rows[last], stride, &weights[0], len(weights), lanes)
}

func dotTriplesAVX2(weights, pixels []float32) (first, second, third float32) {
	if len(weights) < 8 {
		return 0, 0, 0
	}
	var sums [24]float32
	_ = pixels[:3*len(weights)]
	dotTriplesx8(&sums[0], &weights[0], &pixels[0], len(weights)&^7)
	return sumTriples(&sums)
}
