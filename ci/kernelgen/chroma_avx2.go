package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeChromaAVX2 writes the interpolation of colour differences, and the conversions to red, green
// and blue. Bytes are spread to 16 bits, in the low and the high half of each half of a register,
// and packed back in the same order.
func writeChromaAVX2(c *build.Context) {
	writeUpsampleRows(c)
	writeUpsampleColumns(c)
	writeUpsampleBoth(c)
	writeFullRange(c)
	writeLimitedRange(c)
}

// pairWeights returns the weights of two neighbouring bytes, for VPMADDUBSW.
func pairWeights(c *build.Context, name string, first, second int8) operand.Mem {
	pair := int32(first) | int32(second)<<8
	return words(c, name, pair|pair<<16)
}

// broadcastWord returns the low 16 bits of an argument in each lane.
func broadcastWord(c *build.Context, name string) reg.VecVirtual {
	all := c.YMM()
	c.VPBROADCASTW(address(c.Param(name)), all)
	return all
}

// interleaved returns the bytes of a and b in turn: of the low halves of both halves of the
// registers, and of the high ones.
func interleaved(c *build.Context, a, b reg.Register) (halves [2]reg.VecVirtual) {
	halves[0], halves[1] = c.YMM(), c.YMM()
	c.VPUNPCKLBW(b, a, halves[0])
	c.VPUNPCKHBW(b, a, halves[1])
	return halves
}

func loaded(c *build.Context, at operand.Mem) reg.VecVirtual {
	v := c.YMM()
	c.VMOVDQU(at, v)
	return v
}

func writeUpsampleRows(c *build.Context) {
	begin(c, "upsampleRowsx32", "func(dst, near, far *byte, n int, bias uint16)", "upsampleRowsx32 is upsampleRows for n samples, a multiple of 32.")
	dst := c.Load(c.Param("dst"), c.GP64())
	near := c.Load(c.Param("near"), c.GP64())
	far := c.Load(c.Param("far"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	bias := broadcastWord(c, "bias")
	weights := pairWeights(c, "threeAndOne", 3, 1)
	each(c, n, 32, func() {
		halves := interleaved(c, loaded(c, operand.Mem{Base: near}), loaded(c, operand.Mem{Base: far}))
		for _, v := range halves {
			c.VPMADDUBSW(weights, v, v)
			c.VPADDW(bias, v, v)
			c.VPSRLW(operand.Imm(2), v, v)
		}
		c.VPACKUSWB(halves[1], halves[0], halves[0])
		c.VMOVDQU(halves[0], operand.Mem{Base: dst})
		for _, pointer := range []reg.Register{dst, near, far} {
			step(c, pointer, 32)
		}
	})
	end(c)
}

const sidesDoc = " It also reads the samples before the first and after the last one."

func writeUpsampleColumns(c *build.Context) {
	begin(c, "upsampleColumnsx32", "func(dst, near *byte, n int, even, odd uint16)",
		"upsampleColumnsx32 is upsampleColumns for n samples, a multiple of 32, between others."+sidesDoc)
	dst := c.Load(c.Param("dst"), c.GP64())
	near := c.Load(c.Param("near"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	biases := [2]reg.VecVirtual{broadcastWord(c, "even"), broadcastWord(c, "odd")}
	weights := pairWeights(c, "threeAndOne", 3, 1)
	each(c, n, 32, func() {
		here := loaded(c, operand.Mem{Base: near})
		var sums [2][2]reg.VecVirtual
		for i, side := range []int{-1, 1} {
			sums[i] = interleaved(c, here, loaded(c, operand.Mem{Base: near, Disp: side}))
			for _, v := range sums[i] {
				c.VPMADDUBSW(weights, v, v)
				c.VPADDW(biases[i], v, v)
				c.VPSRLW(operand.Imm(2), v, v)
			}
		}
		writeEvenOdd(c, sums, dst)
		step(c, near, 32)
	})
	end(c)
}

func writeUpsampleBoth(c *build.Context) {
	begin(c, "upsampleBothx32", "func(dst, near, far *byte, n int, even, odd uint16)",
		"upsampleBothx32 is upsampleBoth for n samples, a multiple of 32, between others."+sidesDoc)
	dst := c.Load(c.Param("dst"), c.GP64())
	near := c.Load(c.Param("near"), c.GP64())
	far := c.Load(c.Param("far"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	biases := [2]reg.VecVirtual{broadcastWord(c, "even"), broadcastWord(c, "odd")}
	nearer, farther := pairWeights(c, "nineAndThree", 9, 3), pairWeights(c, "threeAndOne", 3, 1)
	each(c, n, 32, func() {
		here, there := loaded(c, operand.Mem{Base: near}), loaded(c, operand.Mem{Base: far})
		var sums [2][2]reg.VecVirtual
		for i, side := range []int{-1, 1} {
			sums[i] = interleaved(c, here, loaded(c, operand.Mem{Base: near, Disp: side}))
			more := interleaved(c, there, loaded(c, operand.Mem{Base: far, Disp: side}))
			for half, v := range sums[i] {
				c.VPMADDUBSW(nearer, v, v)
				c.VPMADDUBSW(farther, more[half], more[half])
				c.VPADDW(biases[i], v, v)
				c.VPADDW(more[half], v, v)
				c.VPSRLW(operand.Imm(4), v, v)
			}
		}
		writeEvenOdd(c, sums, dst)
		step(c, near, 32)
		step(c, far, 32)
	})
	end(c)
}

// writeEvenOdd stores 64 samples, of which sums has those in even places and those in odd ones, and
// advances dst.
func writeEvenOdd(c *build.Context, sums [2][2]reg.VecVirtual, dst reg.Register) {
	for half, v := range sums[1] {
		c.VPSLLW(operand.Imm(8), v, v)
		c.VPOR(sums[0][half], v, v)
	}
	first, second := c.YMM(), c.YMM()
	c.VINSERTI128(operand.Imm(1), sums[1][1].AsX(), sums[1][0], first)
	c.VPERM2I128(operand.Imm(0x31), sums[1][1], sums[1][0], second)
	c.VMOVDQU(first, operand.Mem{Base: dst})
	c.VMOVDQU(second, operand.Mem{Base: dst, Disp: 32})
	step(c, dst, 64)
}

const convertSignature = "func(rgb, y, cb, cr *byte, n int)"

// convertLoop is a loop over 32 pixels at a time. body returns the red, green and blue of 16 of
// them, in 16 bits, of the low or of the high halves.
func convertLoop(c *build.Context, spread func(source reg.Register, half int) reg.VecVirtual, body func(spread func(channel, half int) reg.VecVirtual, half int) [3]reg.VecVirtual) {
	rgb := c.Load(c.Param("rgb"), c.GP64())
	channels := [3]reg.Register{c.Load(c.Param("y"), c.GP64()), c.Load(c.Param("cb"), c.GP64()), c.Load(c.Param("cr"), c.GP64())}
	n := c.Load(c.Param("n"), c.GP64())
	each(c, n, 32, func() {
		var halves [2][3]reg.VecVirtual
		for half := range halves {
			halves[half] = body(func(channel, half int) reg.VecVirtual { return spread(channels[channel], half) }, half)
		}
		var colours [3]reg.VecVirtual
		for i := range colours {
			colours[i] = halves[0][i]
			c.VPACKUSWB(halves[1][i], colours[i], colours[i])
		}
		writeTriples(c, colours, rgb)
		for _, channel := range channels {
			step(c, channel, 32)
		}
		step(c, rgb, 96)
	})
	end(c)
}

// writeFullRange splits each factor into whole numbers and a rest that 16 bits hold. Products are
// rounded in steps of 2^-16, those of red and blue by doubling the sample first.
func writeFullRange(c *build.Context) {
	begin(c, "fullRangex32", convertSignature, "fullRangex32 is fullRange for n pixels, a multiple of 32.")
	zero, middle, one := c.YMM(), c.YMM(), c.YMM()
	c.VPXOR(zero, zero, zero)
	c.VMOVDQU(words(c, "middle", 128|128<<16), middle)
	c.VMOVDQU(words(c, "one", 1|1<<16), one)
	spread := func(source reg.Register, half int) reg.VecVirtual {
		v := loaded(c, operand.Mem{Base: source})
		unpack := []func(ops ...operand.Op){c.VPUNPCKLBW, c.VPUNPCKHBW}[half]
		unpack(zero, v, v)
		return v
	}
	rounded := func(v reg.VecVirtual, name string, factor int16) reg.VecVirtual {
		product := c.YMM()
		c.VPADDW(v, v, product)
		c.VPMULHW(words(c, name, int32(factor)<<16|int32(uint16(factor))), product, product)
		c.VPADDW(one, product, product)
		c.VPSRAW(operand.Imm(1), product, product)
		return product
	}
	convertLoop(c, spread, func(spread func(channel, half int) reg.VecVirtual, half int) [3]reg.VecVirtual {
		luma, blue, red := spread(0, half), spread(1, half), spread(2, half)
		c.VPSUBW(middle, blue, blue)
		c.VPSUBW(middle, red, red)
		r := rounded(red, "f0402", 26345)
		c.VPADDW(red, r, r)
		c.VPADDW(luma, r, r)
		b := rounded(blue, "f0228", -14942)
		c.VPADDW(blue, b, b)
		c.VPADDW(blue, b, b)
		c.VPADDW(luma, b, b)
		g, other := c.YMM(), c.YMM()
		c.VPUNPCKLWD(red, blue, g)
		c.VPUNPCKHWD(red, blue, other)
		for _, v := range []reg.VecVirtual{g, other} {
			const both = int32(18734)<<16 | (-22554 & 0xFFFF)
			c.VPMADDWD(words(c, "f0344f0286", both), v, v)
			c.VPADDD(words(c, "halfOf16", 1<<15), v, v)
			c.VPSRAD(operand.Imm(16), v, v)
		}
		c.VPACKSSDW(other, g, g)
		c.VPSUBW(red, g, g)
		c.VPADDW(luma, g, g)
		return [3]reg.VecVirtual{r, g, b}
	})
}

// writeLimitedRange keeps the high halves of products of samples in the high byte, which truncates
// them to steps of 2^-6.
func writeLimitedRange(c *build.Context) {
	begin(c, "limitedRangex32", convertSignature, "limitedRangex32 is limitedRange for n pixels, a multiple of 32.")
	zero := c.YMM()
	c.VPXOR(zero, zero, zero)
	spread := func(source reg.Register, half int) reg.VecVirtual {
		v := loaded(c, operand.Mem{Base: source})
		unpack := []func(ops ...operand.Op){c.VPUNPCKLBW, c.VPUNPCKHBW}[half]
		unpack(v, zero, v)
		return v
	}
	double := func(v uint16) int32 { return int32(uint32(v) | uint32(v)<<16) }
	times := func(v reg.VecVirtual, name string, factor uint16) reg.VecVirtual {
		product := c.YMM()
		c.VPMULHUW(words(c, name, double(factor)), v, product)
		return product
	}
	convertLoop(c, spread, func(spread func(channel, half int) reg.VecVirtual, half int) [3]reg.VecVirtual {
		level, blue, red := spread(0, half), spread(1, half), spread(2, half)
		level = times(level, "f1164", 19077)
		r := times(red, "f1596", 26149)
		c.VPADDW(level, r, r)
		c.VPSUBW(words(c, "redBelow", double(14234)), r, r)
		c.VPSRAW(operand.Imm(6), r, r)
		g := c.YMM()
		c.VPADDW(words(c, "greenAbove", double(8708)), level, g)
		c.VPSUBW(times(blue, "f0391", 6419), g, g)
		c.VPSUBW(times(red, "f0813", 13320), g, g)
		c.VPSRAW(operand.Imm(6), g, g)
		// Blue exceeds a signed lane; what is below zero becomes zero here.
		b := times(blue, "f2017", 33050)
		c.VPADDUSW(level, b, b)
		c.VPSUBUSW(words(c, "blueBelow", double(17685)), b, b)
		c.VPSRLW(operand.Imm(6), b, b)
		return [3]reg.VecVirtual{r, g, b}
	})
}

// writeTriples stores 32 pixels, of which colours has the red, green and blue.
func writeTriples(c *build.Context, colours [3]reg.VecVirtual, rgb reg.Register) {
	var parts [3]reg.VecVirtual // 16 bytes of the first 16 pixels, and of the others
	for part := range parts {
		parts[part] = c.YMM()
		for i, colour := range colours {
			v := parts[part]
			if i > 0 {
				v = c.YMM()
			}
			c.VPSHUFB(triplePlaces(c, part, i), colour, v)
			if i > 0 {
				c.VPOR(v, parts[part], parts[part])
			}
		}
	}
	for half := range 2 {
		for part, v := range parts {
			at := operand.Mem{Base: rgb, Disp: 48*half + 16*part}
			if half == 0 {
				c.VMOVDQU(v.AsX(), at)
			} else {
				c.VEXTRACTI128(operand.Imm(1), v, at)
			}
		}
	}
}

// triplePlaces returns the pixels whose bytes of one colour are in a part of 16 bytes of pixels, in
// both halves of a register.
func triplePlaces(c *build.Context, part, colour int) operand.Mem {
	var places [16]byte
	for i := range places {
		places[i] = 0x80
		if at := 16*part + i; at%3 == colour {
			places[i] = byte(at / 3)
		}
	}
	return shuffle(c, "triples"+string(rune('0'+part))+"rgb"[colour:colour+1], places)
}
