package kernel

func synthesizeAVX2(b *Bank, dst, subbands *Granule, window *[512]float32) {
	// The last eight samples begin before those before them end: these are made twice.
	for _, sample := range [...]int{0, 8, granule - 8} {
		bankCosines8(&b.rows[(granule-1-sample)*bankRow], &subbands[sample], &b.scratch[0])
	}
	bankWindowx32(&dst[0], &b.rows[(granule-1)*bankRow], &window[0], granule)
}

func combineAVX2(dst *[24]float32, rows, weights []float32) {
	if len(weights) == 0 {
		clear(dst[:])
		return
	}
	_ = rows[:len(dst)*len(weights)]
	combinex24(&dst[0], &rows[0], &weights[0], len(weights))
}
