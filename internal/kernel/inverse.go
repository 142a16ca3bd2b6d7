package kernel

// The constants of the transform in steps of 2^-13.
const (
	fix0298 = 2446
	fix0390 = 3196
	fix0541 = 4433
	fix0765 = 6270
	fix0899 = 7373
	fix1175 = 9633
	fix1501 = 12299
	fix1847 = 15137
	fix1961 = 16069
	fix2053 = 16819
	fix2562 = 20995
	fix3072 = 25172

	fixBits   = 13
	extraBits = 2 // of what the columns become
)

// Inverse computes 8×8 samples from coefficients and their quantizers, row by row; rows of dst are
// stride apart. It is libjpeg's exact integer transform, after Loeffler, Ligtenberg and Moschytz,
// bit for bit.
func Inverse(dst []byte, stride int, coefficients *[64]int16, quantizers *[64]uint16) {
	decoders().inverse(dst, stride, coefficients, quantizers)
}

func inversePortable(dst []byte, stride int, coefficients *[64]int16, quantizers *[64]uint16) {
	var space [64]int32
	for x := range 8 {
		c, q := coefficients[x:x+57], quantizers[x:x+57]
		if c[8]|c[16]|c[24]|c[32]|c[40]|c[48]|c[56] == 0 {
			// What the whole column would give, also where it wraps.
			flat := (int32(c[0])*int32(q[0])<<fixBits + 1<<(fixBits-extraBits-1)) >> (fixBits - extraBits)
			s := space[x : x+57]
			s[0], s[8], s[16], s[24], s[32], s[40], s[48], s[56] = flat, flat, flat, flat, flat, flat, flat, flat
			continue
		}
		// The even part.
		a, b := int32(c[16])*int32(q[16]), int32(c[48])*int32(q[48])
		z := (a + b) * fix0541
		t2, t3 := z-b*fix1847, z+a*fix0765
		a, b = int32(c[0])*int32(q[0]), int32(c[32])*int32(q[32])
		t0, t1 := (a+b)<<fixBits, (a-b)<<fixBits
		e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2
		// The odd part.
		t0, t1 = int32(c[56])*int32(q[56]), int32(c[40])*int32(q[40])
		t2, t3 = int32(c[24])*int32(q[24]), int32(c[8])*int32(q[8])
		z1, z2, z3, z4 := t0+t3, t1+t2, t0+t2, t1+t3
		z5 := (z3 + z4) * fix1175
		z1, z2, z3, z4 = -z1*fix0899, -z2*fix2562, z5-z3*fix1961, z5-z4*fix0390
		t0 = t0*fix0298 + z1 + z3
		t1 = t1*fix2053 + z2 + z4
		t2 = t2*fix3072 + z2 + z3
		t3 = t3*fix1501 + z1 + z4

		const down, half = fixBits - extraBits, 1 << (fixBits - extraBits - 1)
		s := space[x : x+57]
		s[0] = (e0 + t3 + half) >> down
		s[56] = (e0 - t3 + half) >> down
		s[8] = (e1 + t2 + half) >> down
		s[48] = (e1 - t2 + half) >> down
		s[16] = (e2 + t1 + half) >> down
		s[40] = (e2 - t1 + half) >> down
		s[24] = (e3 + t0 + half) >> down
		s[32] = (e3 - t0 + half) >> down
	}
	for y := range 8 {
		s := (*[8]int32)(space[8*y:])
		row := dst[y*stride:][:8:8]
		z := (s[2] + s[6]) * fix0541
		t2, t3 := z-s[6]*fix1847, z+s[2]*fix0765
		t0, t1 := (s[0]+s[4])<<fixBits, (s[0]-s[4])<<fixBits
		e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2
		t0, t1, t2, t3 = s[7], s[5], s[3], s[1]
		z1, z2, z3, z4 := t0+t3, t1+t2, t0+t2, t1+t3
		z5 := (z3 + z4) * fix1175
		z1, z2, z3, z4 = -z1*fix0899, -z2*fix2562, z5-z3*fix1961, z5-z4*fix0390
		t0 = t0*fix0298 + z1 + z3
		t1 = t1*fix2053 + z2 + z4
		t2 = t2*fix3072 + z2 + z3
		t3 = t3*fix1501 + z1 + z4

		// Samples are centred at 128.
		const down, half = fixBits + extraBits + 3, 1<<(fixBits+extraBits+2) + 128<<(fixBits+extraBits+3)
		row[0] = clampByte((e0 + t3 + half) >> down)
		row[7] = clampByte((e0 - t3 + half) >> down)
		row[1] = clampByte((e1 + t2 + half) >> down)
		row[6] = clampByte((e1 - t2 + half) >> down)
		row[2] = clampByte((e2 + t1 + half) >> down)
		row[5] = clampByte((e2 - t1 + half) >> down)
		row[3] = clampByte((e3 + t0 + half) >> down)
		row[4] = clampByte((e3 - t0 + half) >> down)
	}
}

// clampByte clamps a sample to 0 … 255. Few samples are outside.
func clampByte(v int32) byte {
	if uint32(v) <= 255 {
		return byte(v)
	}
	return byte(^(v >> 31))
}
