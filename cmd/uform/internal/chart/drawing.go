package chart

import (
	"bufio"
	"cmp"
	_ "embed" // the page below
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Chart is a picture of a collection. Points, Names, Texts and Groups have one entry for each item.
type Chart struct {
	Title string
	// Points are the places, in any unit.
	Points []Point
	// Names are the items' names, Texts what they say, empty for what is no text.
	Names, Texts []string
	// Groups number the items' groups, and index Labels.
	Groups []int
	Labels []string
}

// The size of the picture, its margin, and the height of the title.
const (
	width, height = 1200.0, 800.0
	margin, head  = 40.0, 48.0
)

// Colours is how many groups have a colour of their own. The style sheet has them for light and for
// dark.
const Colours = 12

//go:embed chart.css
var styles string

//go:embed page.html
var page string

// longestTip is how much of a text is shown, in bytes.
const longestTip = 300

// SVG writes the picture as a file of its own. A viewer that shows titles shows each item's.
func (c *Chart) SVG(to io.Writer) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\">\n<style>\n%s</style>\n", width, height, styles)
	c.draw(out, func(i int) string { return "<title>" + escaped(c.tip(i)) + "</title>" })
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// HTML writes a page that needs no other file: the picture, what an item says under the pointer, a
// box that dims what does not contain a word, and a list of the groups.
func (c *Chart) HTML(to io.Writer) error {
	var picture strings.Builder
	out := bufio.NewWriter(&picture)
	fmt.Fprintf(out, "<svg viewBox=\"0 0 %g %g\" role=\"img\">\n", width, height)
	c.draw(out, func(int) string { return "" })
	fmt.Fprint(out, "</svg>")
	if err := out.Flush(); err != nil {
		return err
	}
	type item struct {
		Name string `json:"n"`
		Text string `json:"t,omitempty"`
	}
	items := make([]item, len(c.Names))
	for i := range items {
		items[i] = item{c.Names[i], shortened(c.Texts[i])}
	}
	data, err := json.Marshal(items) // which escapes what would end a script
	if err != nil {
		return err
	}
	var list strings.Builder
	sizes := make([]int, len(c.Labels))
	for _, g := range c.Groups {
		sizes[g]++
	}
	for g, label := range c.Labels {
		fmt.Fprintf(&list, "<li><button data-group=\"%d\"><svg viewBox=\"0 0 10 10\"><circle class=\"g%d\" cx=\"5\" cy=\"5\" r=\"5\"/></svg> %s <small>%d</small></button></li>\n",
			g, g%Colours, escaped(cmp.Or(label, fmt.Sprintf("group %d", g+1))), sizes[g])
	}
	_, err = strings.NewReplacer(
		"{{title}}", escaped(c.Title), "{{styles}}", styles, "{{picture}}", picture.String(), "{{groups}}", list.String(),
		"{{items}}", string(data),
	).WriteString(to, page)
	return err
}

// draw writes what is inside of the picture. inside is written into each item's circle.
func (c *Chart) draw(out *bufio.Writer, inside func(i int) string) {
	places := c.fitted()
	fmt.Fprintf(out, "<text class=\"title\" x=\"%g\" y=\"32\">%s</text>\n<g class=\"items\">\n", margin, escaped(c.Title))
	radius := math.Round(10*min(6, max(1.6, 90/math.Sqrt(float64(len(places)+1))))) / 10
	for i, p := range places {
		fmt.Fprintf(out, "<circle class=\"g%d\" data-group=\"%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\">%s</circle>\n", c.Groups[i]%Colours, c.Groups[i], p.X, p.Y, radius, inside(i))
	}
	fmt.Fprintln(out, "</g>\n<g class=\"labels\">")
	for _, l := range c.labels(places) {
		fmt.Fprintf(out, "<text class=\"g%d\" data-group=\"%d\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", l.group%Colours, l.group, l.X, l.Y, escaped(c.Labels[l.group]))
	}
	fmt.Fprintln(out, "</g>")
}

// fitted returns the places in the picture, both axes at one scale.
func (c *Chart) fitted() []Point {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range c.Points {
		low = Point{min(low.X, p.X), min(low.Y, p.Y)}
		high = Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	scale := min((width-2*margin)/max(high.X-low.X, 1e-9), (height-2*margin-head)/max(high.Y-low.Y, 1e-9))
	places := make([]Point, len(c.Points))
	for i, p := range c.Points {
		places[i] = Point{
			width/2 + (p.X-(low.X+high.X)/2)*scale,
			(height+head)/2 + (p.Y-(low.Y+high.Y)/2)*scale,
		}
	}
	return places
}

// label is where the words of a group stand.
type label struct {
	Point
	group int
}

// The size of a line of labels.
const (
	lineHeight     = 22.0
	letterWidth    = 8.6
	labelTolerance = 40
)

// labels returns the places of labels: where most of a group is, moved up or down where another
// label is in the way.
func (c *Chart) labels(places []Point) (all []label) {
	members := make([][]Point, len(c.Labels))
	for i, p := range places {
		members[c.Groups[i]] = append(members[c.Groups[i]], p)
	}
	for g, words := range c.Labels {
		if words == "" || len(members[g]) == 0 {
			continue
		}
		at, half := densest(members[g]), letterWidth*float64(utf8.RuneCountInString(words))/2
		at.X = min(max(at.X, half+4), width-half-4)
		all = append(all, label{c.free(at, half, all), g})
	}
	return all
}

// densest returns the point that has the most others around it.
func densest(points []Point) (at Point) {
	const around = 60.0
	most := -1.0
	for _, p := range points {
		sum := 0.0
		for _, q := range points {
			dx, dy := (p.X-q.X)/around, (p.Y-q.Y)/around
			sum += max(0, 1-dx*dx-dy*dy)
		}
		if sum > most {
			at, most = p, sum
		}
	}
	return at
}

// free returns the place nearest to one, up or down, where no other label is.
func (c *Chart) free(at Point, half float64, others []label) Point {
	taken := func(p Point) bool {
		return p.Y < head+lineHeight || p.Y > height-8 || slices.ContainsFunc(others, func(o label) bool {
			theirs := letterWidth * float64(utf8.RuneCountInString(c.Labels[o.group])) / 2
			return math.Abs(p.X-o.X) < half+theirs && math.Abs(p.Y-o.Y) < lineHeight
		})
	}
	for k := range labelTolerance {
		move := float64((k+1)/2) * lineHeight / 2
		if k%2 == 1 {
			move = -move
		}
		if moved := (Point{at.X, at.Y + move}); !taken(moved) {
			return moved
		}
	}
	return at
}

// tip is what is shown of an item.
func (c *Chart) tip(i int) string {
	if c.Texts[i] == "" {
		return c.Names[i]
	}
	return c.Names[i] + "\n" + shortened(c.Texts[i])
}

func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= longestTip {
		return text
	}
	end := longestTip
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// escaped is a text for XML, without what XML does not allow.
func escaped(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return html.EscapeString(text)
}
