package chroma

// UpsampleDeep is [Rounding.Upsample] for samples of up to 16 bits, which only video has.
func (r Rounding) UpsampleDeep(dst, near, far []uint16, across, down, y int) {
	switch {
	case len(near) == 0:
	case across == 1 && down == 1:
		copy(dst, near)
	case across == 1 && down == 2:
		bias := r.quarterEven
		if y%2 == 1 {
			bias = r.quarterOdd
		}
		for i, v := range near {
			dst[i] = uint16((3*int(v) + int(far[i]) + bias) >> 2)
		}
	case across == 2 && down <= 2:
		even, odd, shift := r.quarterEven, r.quarterOdd, 2
		sum := func(i int) int { return int(near[i]) }
		if down == 2 {
			even, odd, shift = r.sixteenthEven, r.sixteenthOdd, 4
			sum = func(i int) int { return 3*int(near[i]) + int(far[i]) }
		}
		last := sum(0)
		for i := range near {
			here, next := sum(i), sum(min(i+1, len(near)-1))
			dst[2*i] = uint16((3*here + last + even) >> shift)
			dst[2*i+1] = uint16((3*here + next + odd) >> shift)
			last = here
		}
	default:
		for i := range dst {
			dst[i] = near[i/across]
		}
	}
}
