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

func filterTriplesAVX2(dst, pixels, weights []float32, windows []Window) {
	for len(windows) > 0 {
		count, groups := 0, 0
		for _, window := range windows {
			if _ = pixels[3*window.First:][:24*window.Groups]; window.Groups == 0 || groups > 0 && 24*(groups+window.Groups) > mostWeighed {
				break
			}
			count++
			groups += window.Groups
		}
		if count == 0 {
			dst[0], dst[1], dst[2] = 0, 0, 0
			dst, windows = dst[3:], windows[1:]
			continue
		}
		_, _ = dst[:3*count], weights[:8*groups]
		filterTriplesx8(&dst[0], &pixels[0], &weights[0], &windows[0].First, count)
		dst, weights, windows = dst[3*count:], weights[8*groups:], windows[count:]
	}
}
