package kernel

func sixteenRowsPortable(lines, x []float32, stride, count, depth int) {
	for r := range count {
		source := x[r*stride:][:depth]
		for i, at := 0, r; i < len(source); i, at = i+1, at+panelWidth {
			lines[at] = source[i]
		}
	}
	for r := count; r < panelWidth; r++ {
		for at := r; at < len(lines); at += panelWidth {
			lines[at] = 0
		}
	}
}

func sixteenColumnsPortable(lines, x []float32, stride, count, depth int) {
	for i := range depth {
		line := lines[i*panelWidth:][:panelWidth]
		copy(line, x[i*stride:][:count])
		clear(line[count:])
	}
}
