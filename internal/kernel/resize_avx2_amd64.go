package kernel

// mostWeighed is how many products one call of assembly makes: some microseconds, in which the
// goroutine cannot be preempted.
const mostWeighed = 1 << 16

func weighRowsAVX2(dst []float32, rows []byte, stride int, weights []float32) {
	if len(dst) < lineLanes || len(weights) == 0 {
		weighRowsPortable(dst, rows, stride, weights)
		return
	}
	eachLine(len(dst), rows, stride, len(weights), func(at, count int) {
		weighRowsx64(&dst[at], &rows[at], stride, &weights[0], len(weights), count)
	})
}

func weighRowsBytesAVX2(dst, rows []byte, stride int, weights []int32) {
	if len(dst) < lineLanes || len(weights) == 0 {
		weighRowsBytesPortable(dst, rows, stride, weights)
		return
	}
	eachLine(len(dst), rows, stride, len(weights), func(at, count int) {
		weighRowsBytesx64(&dst[at], &rows[at], stride, &weights[0], len(weights), count)
	})
}

// lineLanes is how many columns an iteration over rows takes.
const lineLanes = 64

// eachLine calls run for the parts of n columns of count rows that single calls of assembly take.
// The last one may repeat some.
func eachLine(n int, rows []byte, stride, count int, run func(at, count int)) {
	_ = rows[(count-1)*stride:][:n]
	piece := max(mostWeighed/count&^(lineLanes-1), lineLanes)
	for at := 0; at < n; {
		columns := min(piece, n-at) &^ (lineLanes - 1)
		if columns == 0 {
			at, columns = n-lineLanes, lineLanes
		}
		run(at, columns)
		at += columns
	}
}

func filterTriplesAVX2(dst, pixels, weights []float32, windows []Window) {
	for len(windows) > 0 {
		count, groups := 0, 0
		for _, window := range windows {
			if window.Groups == 0 || count > 0 && 24*(groups+window.Groups) > mostWeighed {
				break
			}
			_ = pixels[3*window.First:][:24*window.Groups]
			count++
			groups += window.Groups
		}
		if count == 0 {
			filterTriplesPortable(dst, pixels, weights, windows[:1])
			count = 1
		} else {
			_, _ = dst[:3*count], weights[:8*groups]
			filterTriplesx8(&dst[0], &pixels[0], &weights[0], &windows[0].First, count)
		}
		dst, weights, windows = dst[3*count:], weights[8*groups:], windows[count:]
	}
}

func filterTriplesBytesAVX2(dst []byte, dstStride int, pixels []byte, stride, rows int, weights []int32, windows []Window) {
	for rows > 0 && len(windows) > 0 {
		count, groups, furthest := 0, 0, 0
		for _, window := range windows {
			if window.Groups == 0 || window.First < 0 || count > 0 && 48*(groups+window.Groups) > mostWeighed {
				break
			}
			count++
			groups += window.Groups
			furthest = max(furthest, 3*(window.First+8*window.Groups))
		}
		// Groups of the last rows may reach beyond the pixels.
		inside := 0
		if count == 0 {
			count, groups = 1, windows[0].Groups
		} else if len(pixels) >= furthest {
			inside = rows
			if stride > 0 {
				inside = min(rows, (len(pixels)-furthest)/stride+1)
			}
		}
		_, _ = dst[(rows-1)*dstStride:][:3*count], weights[:8*groups]
		for y := 0; y < inside; y += 2 {
			other := min(y+1, inside-1)
			filterTriplesBytesx8(&dst[y*dstStride], &dst[other*dstStride], &pixels[y*stride], (other-y)*stride, &weights[0], &windows[0].First, count)
		}
		for y := inside; y < rows; y++ {
			filterRowBytes(dst[y*dstStride:], pixels[y*stride:], weights, windows[:count])
		}
		dst, weights, windows = dst[3*count:], weights[8*groups:], windows[count:]
	}
}
