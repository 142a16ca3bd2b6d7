package kernel

func smoothAVX2(first, second []byte, stride int, upright, outer bool, e Edge) {
	_, _ = first[:7*stride+8], second[:7*stride+8]
	assembly := smoothFlatInner
	switch {
	case upright && outer:
		assembly = smoothUprightOuter
	case upright:
		assembly = smoothUprightInner
	case outer:
		assembly = smoothFlatOuter
	}
	assembly(&first[0], &second[0], stride, e.Limit, e.Inner, e.Variance)
}
