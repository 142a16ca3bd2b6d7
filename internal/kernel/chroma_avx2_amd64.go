package kernel

// chromaLanes is how many samples an iteration of the assembly takes. Where a row does not end with
// one, the last iteration repeats some: bytes depend on their own samples alone.
const chromaLanes = 32

// eachRun calls run for the parts of n samples that single calls of assembly take.
func eachRun(n int, run func(at, count int)) {
	for at := 0; at < n; {
		count := span(n-at, chromaLanes)
		if count == 0 {
			at, count = n-chromaLanes, chromaLanes
		}
		run(at, count)
		at += count
	}
}

func upsampleRowsAVX2(dst, near, far []byte, bias int) {
	if len(near) < chromaLanes {
		upsampleRowsPortable(dst, near, far, bias)
		return
	}
	dst, far = dst[:len(near)], far[:len(near)]
	eachRun(len(near), func(at, count int) { upsampleRowsx32(&dst[at], &near[at], &far[at], count, uint16(bias)) })
}

func upsampleColumnsAVX2(dst, near []byte, even, odd int) {
	if len(near) < chromaLanes+2 {
		upsampleColumnsPortable(dst, near, even, odd)
		return
	}
	dst = dst[:2*len(near)]
	upsampleColumn(dst, near, 0, even, odd)
	eachRun(len(near)-2, func(at, count int) { upsampleColumnsx32(&dst[2*at+2], &near[at+1], count, uint16(even), uint16(odd)) })
	upsampleColumn(dst, near, len(near)-1, even, odd)
}

func upsampleBothAVX2(dst, near, far []byte, even, odd int) {
	if len(near) < chromaLanes+2 {
		upsampleBothPortable(dst, near, far, even, odd)
		return
	}
	dst, far = dst[:2*len(near)], far[:len(near)]
	upsampleCorner(dst, near, far, 0, even, odd)
	eachRun(len(near)-2, func(at, count int) {
		upsampleBothx32(&dst[2*at+2], &near[at+1], &far[at+1], count, uint16(even), uint16(odd))
	})
	upsampleCorner(dst, near, far, len(near)-1, even, odd)
}

func fullRangeAVX2(rgb, y, cb, cr []byte) {
	if len(y) < chromaLanes {
		fullRangePortable(rgb, y, cb, cr)
		return
	}
	rgb, cb, cr = rgb[:3*len(y)], cb[:len(y)], cr[:len(y)]
	eachRun(len(y), func(at, count int) { fullRangex32(&rgb[3*at], &y[at], &cb[at], &cr[at], count) })
}

func limitedRangeAVX2(rgb, y, cb, cr []byte) {
	if len(y) < chromaLanes {
		limitedRangePortable(rgb, y, cb, cr)
		return
	}
	rgb, cb, cr = rgb[:3*len(y)], cb[:len(y)], cr[:len(y)]
	eachRun(len(y), func(at, count int) { limitedRangex32(&rgb[3*at], &y[at], &cb[at], &cr[at], count) })
}

func inverseAVX2(dst []byte, stride int, coefficients *[64]int16, quantizers *[64]uint16) {
	_ = dst[7*stride:][:8]
	inverse8x8(&dst[0], stride, &coefficients[0], &quantizers[0])
}
