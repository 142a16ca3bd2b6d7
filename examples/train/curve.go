package main

import (
	"bytes"
	"fmt"
	"slices"
)

// curve draws losses as a line, in an SVG file.
func curve(losses []float64) []byte {
	const width, height, margin = 640, 320, 48
	highest := max(slices.Max(losses), 1e-9)
	x := func(step int) float64 {
		return margin + float64(step)*(width-2*margin)/float64(max(1, len(losses)-1))
	}
	y := func(loss float64) float64 { return height - margin - loss/highest*(height-2*margin) }
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	for i := range 5 {
		loss := highest * float64(i) / 4
		fmt.Fprintf(&svg, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>`, margin, y(loss), width-margin, y(loss))
		fmt.Fprintf(&svg, `<text x="%d" y="%.1f" text-anchor="end">%.2f</text>`+"\n", margin-6, y(loss)+4, loss)
	}
	fmt.Fprintf(&svg, `<text x="%d" y="%d">loss</text>`, margin, margin-16)
	fmt.Fprintf(&svg, `<text x="%d" y="%d" text-anchor="end">step %d</text>`+"\n", width-margin, height-margin+20, len(losses))
	svg.WriteString(`<polyline fill="none" stroke="#1f6feb" stroke-width="1.5" points="`)
	for step, loss := range losses {
		fmt.Fprintf(&svg, "%.1f,%.1f ", x(step), y(loss))
	}
	svg.WriteString("\"/>\n</svg>\n")
	return svg.Bytes()
}
