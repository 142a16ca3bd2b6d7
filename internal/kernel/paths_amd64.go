package kernel

import "golang.org/x/sys/cpu"

// available returns the paths of this machine, the best one first. The flags also say whether the
// operating system saves the registers.
func available() []*routines {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasF16C:
		return []*routines{&portable}
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512VL || !x.HasAVX512DQ:
		return []*routines{&avx2, &portable}
	case !x.HasAVX512VNNI:
		return []*routines{&avx512, &avx2, &portable}
	}
	return []*routines{&avx512VNNI, &avx2, &portable}
}

// avx2 is AVX2 with fused multiplication and addition, and conversions of halves: every processor
// with AVX2 has them.
var avx2 = func() routines {
	r := portable
	r.path = "avx2"
	r.blockF32, r.blockBF16 = blockAVX2[float32], blockAVX2[uint16]
	r.blockBytes = func(b byteBlock) { b.multiplyTiles(false) }
	r.extremes, r.quantizeRows, r.signedRows = extremesAVX2, quantizeRowsOf(8, quantizeRowsx8), signedRowsAVX2
	r.dot = dotAVX2
	r.add, r.multiply = eightsAVX2(addx8, addPortable), eightsAVX2(multiplyx8, multiplyPortable)
	r.addF16, r.addBF16 = eightsAVX2(addF16x8, addF16Portable), eightsAVX2(addBF16x8, addBF16Portable)
	r.addInt8, r.addInt4 = addInt8AVX2, addInt4AVX2
	r.gatherInt4 = gatherInt4Of(gatherInt4x96, gatherInt4x32, addInt4AVX2)
	r.addSigns, r.accumulate = addSignsOf(addSignsx64), accumulateOf(accumulatex16)
	r.normalize, r.rotate = normalizeAVX2, rotateAVX2
	r.layerNorm = layerNormOf(sumx16, deviationsx16, standardizex8)
	r.exponentials, r.scale, r.activate = exponentialsAVX2, scaleAVX2, activateAVX2
	r.floatsFromF16 = eightsAVX2(floatsFromF16x8, floatsFromF16Portable)
	r.floatsFromBF16 = eightsAVX2(floatsFromBF16x8, floatsFromBF16Portable)
	r.sixteenRows, r.sixteenColumns = sixteenRowsAVX2, sixteenColumnsAVX2
	r.dotsF32 = dotsOfBlocks(4, 16, dotsF32x16, dotsF32Portable)
	r.dotsF16 = dotsOfBlocks(2, 16, dotsF16x16, dotsF16Portable)
	r.dotsI8 = dotsOfBlocks(1, 16, dotsI8x16, dotsI8Portable)
	return r
}()

// avx512 is AVX-512 with F, BW and VL.
var avx512 = func() routines {
	r := avx2
	r.path = "avx512"
	r.blockF32, r.blockBF16 = blockAVX512[float32], blockAVX512[uint16]
	r.quantizeRows = quantizeRowsOf(1, quantizeRows512)
	r.normalize, r.exponentials, r.activate = normalizeAVX512, exponentialsAVX512, activateAVX512
	r.layerNorm = layerNormOf(sum512, deviations512, standardize512)
	r.gatherInt4 = gatherInt4Of(gatherInt4x96AVX512, gatherInt4x32AVX512, addInt4AVX2)
	r.addSigns = addSignsOf(addSigns512)
	r.dotsF32 = dotsOfBlocks(4, 1, dotsF32512, dotsF32Portable)
	r.dotsF16 = dotsOfBlocks(2, 1, dotsF16512, dotsF16Portable)
	r.dotsI8 = dotsOfBlocks(1, 1, dotsI8512, dotsI8Portable)
	return r
}()

// avx512VNNI also multiplies bytes in wide registers.
var avx512VNNI = func() routines {
	r := avx512
	r.blockBytes = func(b byteBlock) { b.multiplyTiles(true) }
	return r
}()
