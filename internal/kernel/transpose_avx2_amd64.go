package kernel

// sixteenRowsAVX2 takes eight rows at a time, and leaves the rest that does not fill blocks of
// eight by eight to the portable loop.
func sixteenRowsAVX2(lines, x []float32, stride, count, depth int) {
	whole := depth &^ 7
	if count < panelWidth || whole == 0 {
		sixteenRowsPortable(lines, x, stride, count, depth)
		return
	}
	lines = lines[:depth*panelWidth]
	for half := 0; half < panelWidth; half += 8 {
		transpose8(&lines[half], tileOf(x, half, 8, stride, depth), stride*scalar, whole)
	}
	if whole < depth {
		sixteenRowsPortable(lines[whole*panelWidth:], x[whole:], stride, count, depth-whole)
	}
}

func sixteenColumnsAVX2(lines, x []float32, stride, count, depth int) {
	if count < panelWidth {
		sixteenColumnsPortable(lines, x, stride, count, depth)
		return
	}
	lines = lines[:depth*panelWidth]
	lines16(&lines[0], tileOf(x, 0, depth, stride, panelWidth), stride*scalar, depth)
}
