package main

import (
	"fmt"
	"strings"
)

// The chart's dimensions, in pixels.
const (
	barHeight, barGap = 9, 2
	labelWidth        = 190
	unitWidth         = 130 // of a ratio of 1
	widest            = 4.5 // ratios above are cut, and labelled
	top               = 34
)

var colours = []string{"#4878a8", "#58a078", "#c87848"}

// bars are a label and the ratios of each kind.
type bars struct {
	label  string
	ratios []float64
}

// encoderBars returns each kind's speed relative to ONNX Runtime, on one thread.
func encoderBars(rows []row) (all []bars) {
	for _, r := range rows {
		if r.threads > 1 {
			continue
		}
		b := bars{label: fmt.Sprintf("%v, %v", r.shape, r.load)}
		for _, spent := range r.spent[1:] {
			b.ratios = append(b.ratios, r.spent[0]/spent)
		}
		all = append(all, b)
	}
	return all
}

// folderBars is encoderBars of MiniLM from its folder. Bytes are relative to ONNX Runtime's bytes.
func folderBars(rows []tokenRow) (all []bars) {
	for _, r := range rows {
		if r.threads == 1 {
			all = append(all, bars{r.load.String(), []float64{r.theirs[0] / r.ours[0], r.theirs[0] / r.ours[1], r.theirs[1] / r.ours[2]}})
		}
	}
	return all
}

// chart returns a bar chart of speeds, one colour for each kind.
func chart(title string, groups []bars) string {
	var drawn strings.Builder
	y := top
	for _, group := range groups {
		fmt.Fprintf(&drawn, "<text x='%d' y='%d' text-anchor='end'>%s</text>\n", labelWidth-8, y+2*barHeight, group.label)
		for i, ratio := range group.ratios {
			fmt.Fprintf(&drawn, "<rect x='%d' y='%d' width='%.1f' height='%d' fill='%s'/>\n", labelWidth, y, min(ratio, widest)*unitWidth, barHeight, colours[i])
			if ratio > widest {
				fmt.Fprintf(&drawn, "<text x='%.0f' y='%d'>%.1f×</text>\n", labelWidth+widest*unitWidth+4, y+barHeight, ratio)
			}
			y += barHeight + barGap
		}
		y += 2 * barGap
	}
	width := float64(labelWidth + widest*unitWidth + 50)
	var whole strings.Builder
	fmt.Fprintf(&whole, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %d' font-family='sans-serif' font-size='10'>\n", width, y+6)
	fmt.Fprintf(&whole, "<rect width='%.0f' height='%d' fill='white'/>\n", width, y+6)
	x := labelWidth
	for i, kind := range kinds {
		fmt.Fprintf(&whole, "<rect x='%d' y='8' width='10' height='10' fill='%s'/><text x='%d' y='17'>%v</text>\n", x, colours[i], x+14, kind)
		x += 60
	}
	fmt.Fprintf(&whole, "<text x='%d' y='17'>%s</text>\n", x, title)
	for ratio := 1; float64(ratio) < widest; ratio++ {
		at := labelWidth + ratio*unitWidth
		fmt.Fprintf(&whole, "<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='#bbb'/><text x='%d' y='%d' fill='#888'>%d×</text>\n", at, top-6, at, y, at+2, top-4, ratio)
	}
	return whole.String() + drawn.String() + "</svg>\n"
}
