package main

import (
	"bytes"
	"fmt"
	"math"
)

// The drawing, in its own units.
const (
	drawnWidth, panelHeight = 720, 300
	left, right             = 52, 150 // beside the panels
	top, between            = 36, 32  // above each, and below
)

// line is one row of values, a value for each point of the curve.
type line struct {
	name, class string
	values      []float64
}

// drawing returns the curve as an SVG picture that follows the reader's choice of light or dark:
// the figures in one panel, the loss in another below it.
func drawing(curve []point, j *judge) []byte {
	steps := make([]int, len(curve))
	cosine, rank := line{name: "cosine", class: "a"}, line{name: "rank agreement", class: "b"}
	sts, loss := line{name: "STS", class: "c"}, line{name: "loss", class: "d"}
	for i, p := range curve {
		steps[i] = p.Step
		cosine.values = append(cosine.values, p.Figures.Cosine)
		rank.values = append(rank.values, p.Figures.Rank)
		sts.values = append(sts.values, p.Figures.STS)
		loss.values = append(loss.values, p.Loss)
	}
	loss.values = loss.values[1:] // there is none before the first step
	shown := []line{rank}
	if j.aligned {
		shown = append(shown, cosine)
	}
	if len(j.scored) > 0 {
		shown = append(shown, sts)
	}
	const below = top + panelHeight + between
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`,
		drawnWidth, below+top+panelHeight/2+between)
	svg.WriteString(`
<style>
.page { fill: #fff } text { fill: #222 } .grid { stroke: #ddd } polyline { fill: none; stroke-width: 1.8 }
polyline.a { stroke: #1f6feb } polyline.b { stroke: #b3501d } polyline.c { stroke: #1a7f37 } polyline.d { stroke: #6e5494 }
text.a { fill: #1f6feb } text.b { fill: #b3501d } text.c { fill: #1a7f37 } text.d { fill: #6e5494 }
@media (prefers-color-scheme: dark) {
.page { fill: #14171c } text { fill: #ddd } .grid { stroke: #3a3f47 }
polyline.a { stroke: #6ea8fe } polyline.b { stroke: #f0a070 } polyline.c { stroke: #6fcf97 } polyline.d { stroke: #c3a6f0 }
text.a { fill: #6ea8fe } text.b { fill: #f0a070 } text.c { fill: #6fcf97 } text.d { fill: #c3a6f0 }
}
</style>
<rect class="page" width="100%" height="100%"/>
`)
	panel(&svg, "held-out lines", top, panelHeight, steps, shown)
	panel(&svg, "loss, mean since the point before", below+top, panelHeight/2, steps[1:], []line{loss})
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

// panel draws lines over steps, from the origin or the lowest value.
func panel(svg *bytes.Buffer, title string, begin, height int, steps []int, lines []line) {
	low, high := 0.0, 1e-9
	for _, l := range lines {
		for _, value := range l.values {
			low, high = min(low, value), max(high, value)
		}
	}
	tick := ticks(high - low)
	low, high = tick*math.Floor(low/tick), tick*math.Ceil(high/tick)
	last := max(1, steps[len(steps)-1])
	x := func(step int) float64 { return left + float64(step)/float64(last)*(drawnWidth-left-right) }
	y := func(value float64) float64 { return float64(begin) + (high-value)/(high-low)*float64(height) }
	fmt.Fprintf(svg, `<text x="%d" y="%d">%s</text>`+"\n", left, begin-12, title)
	for value := low; value < high+tick/2; value += tick {
		fmt.Fprintf(svg, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`, left, y(value), drawnWidth-right, y(value))
		fmt.Fprintf(svg, `<text x="%d" y="%.1f" text-anchor="end">%.4g</text>`+"\n", left-6, y(value)+4, math.Round(value/tick)*tick+0) // and no -0
	}
	fmt.Fprintf(svg, `<text x="%d" y="%d">0</text><text x="%d" y="%d" text-anchor="end">step %d</text>`+"\n",
		left, begin+height+18, drawnWidth-right, begin+height+18, last)
	for i, place := range places(lines, y) {
		l := lines[i]
		fmt.Fprintf(svg, `<polyline class="%s" points="`, l.class)
		for at, value := range l.values {
			fmt.Fprintf(svg, "%.1f,%.1f ", x(steps[at]), y(value))
		}
		fmt.Fprintf(svg, `"/><text class="%s" x="%d" y="%.1f">%s %.3f</text>`+"\n", l.class, drawnWidth-right+6, place+4, l.name, l.values[len(l.values)-1])
	}
}

// places returns where the names of lines are written: beside their last values, and apart.
func places(lines []line, y func(float64) float64) []float64 {
	const apart = 15
	at := make([]float64, len(lines))
	for i, l := range lines {
		at[i] = y(l.values[len(l.values)-1])
	}
	for range lines { // each round settles one more
		for i := range at {
			for k := range i {
				if off := at[i] - at[k]; math.Abs(off) < apart {
					middle := (at[i] + at[k]) / 2
					half := math.Copysign(apart/2.0, off)
					at[i], at[k] = middle+half, middle-half
				}
			}
		}
	}
	return at
}

// ticks returns a round distance of four to eight lines in a range.
func ticks(size float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(size)))
	switch {
	case size/unit < 2:
		return unit / 5
	case size/unit < 5:
		return unit / 2
	}
	return unit
}
