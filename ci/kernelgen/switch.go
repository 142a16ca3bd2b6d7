package main

import (
	"fmt"
	"strings"
)

// rowSwitch is a Go function that calls the routine for a number of rows. Assembly has a routine
// for each.
type rowSwitch struct {
	name       string
	routine    string // with %d for the number of rows
	least      int
	most       int
	parameters string // after rows, as Go declares them
	arguments  string
}

// text returns the source of the function.
func (s rowSwitch) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n// %s calls the routine for rows rows, from %d to %d.\n", s.name, s.least, s.most)
	fmt.Fprintf(&out, "func %s(rows int, %s) {\n\tswitch rows {\n", s.name, s.parameters)
	for rows := s.least; rows <= s.most; rows++ {
		fmt.Fprintf(&out, "\tcase %d:\n\t\t%s(%s)\n", rows, fmt.Sprintf(s.routine, rows), s.arguments)
	}
	out.WriteString("\t}\n}\n")
	return out.String()
}

const (
	tileParameters = "depth int, x *float32, xStride int, panel *%s, dst *float32, dstStride int, accumulate bool"
	tileArguments  = "depth, x, xStride, panel, dst, dstStride, accumulate"
	byteParameters = "quads int, x *byte, xStride int, panel *int8, dst *float32, dstStride int, " +
		"scales, sums, rowScales, rowZeros *float32, accumulate bool"
	byteArguments = "quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate"
)

// tileSwitches returns the switches of products with one panel. rest are the arguments of routines
// that prefetch the next panel and take several.
func tileSwitches(routine string, most int, rest string) (all []rowSwitch) {
	for _, kind := range panelKinds {
		all = append(all, rowSwitch{
			"tile" + kind.name, routine + "%d" + kind.name, 1, most, fmt.Sprintf(tileParameters, kind.scalar) + ", ahead int", tileArguments + rest,
		})
	}
	return all
}

// groupSwitches returns the switches of products with several panels, or pairs of them.
func groupSwitches(name, routine string, most int, groups string) (all []rowSwitch) {
	for _, kind := range panelKinds {
		all = append(all, rowSwitch{
			name + kind.name, routine + "%d" + kind.name, 1, most, fmt.Sprintf(tileParameters, kind.scalar) + ", ahead, " + groups + " int", tileArguments + ", ahead, " + groups,
		})
	}
	return all
}

// onceSwitches returns the switches of products of more rows with a single panel.
func onceSwitches() (all []rowSwitch) {
	for _, kind := range panelKinds {
		all = append(all, rowSwitch{
			"once" + kind.name, "once%d" + kind.name, mostRows512 + 1, mostRowsOnce, fmt.Sprintf(tileParameters, kind.scalar), tileArguments,
		})
	}
	return all
}

// byteSwitch returns the switch of a product of bytes.
func byteSwitch(name, routine string, least, most int) rowSwitch {
	return rowSwitch{name, routine + "%d", least, most, byteParameters, byteArguments}
}
