package kernel

// available returns the paths of this machine, the best one first.
func available() []*routines { return []*routines{&neon, &portable} }

// neon is the vectors that every arm64 has, for products, exponentials, activations, halves, bags
// of n-grams and searches. In the portable loops of the other routines, norms among them, the
// compiler fuses multiplications and additions.
var neon = func() routines {
	r := portable
	r.path = "neon"
	r.blockF32 = func(b block[float32]) { b.eachPanel(panelTiled[float32]) }
	r.blockBF16 = func(b block[uint16]) { b.eachPanel(panelTiled[uint16]) }
	r.exponentials, r.activate = exponentialsNEON, activateNEON
	r.floatsFromF16 = floatsFromF16NEON
	r.gatherInt4 = gatherInt4Of(gatherInt4x96, gatherInt4x32, addInt4Portable)
	r.addSigns, r.accumulate = addSignsOf(addSignsx64), accumulateOf(accumulatex16)
	r.dotsF32 = dotsOfBlocks(4, 16, dotsF32x16, dotsF32Portable)
	r.dotsF16 = dotsOfBlocks(2, 16, dotsF16x16, dotsF16Portable)
	r.dotsI8 = dotsOfBlocks(1, 16, dotsI8x16, dotsI8Portable)
	return r
}()
