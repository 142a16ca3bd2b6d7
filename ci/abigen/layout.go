package main

import (
	"fmt"
	"math"
)

// A column is one of the data models in the table, and the target that shows it.
type column struct {
	Go     string
	Target Target
	Word   int64
}

// columns are the four data models of every target that the binding runs on.
var columns = [4]column{
	{"LP64", Target{"linux", "amd64"}, 8},
	{"LLP64", Target{"windows", "amd64"}, 8},
	{"ILP32I386", Target{"linux", "386"}, 4},
	{"ILP32ARM", Target{"linux", "arm"}, 4},
}

// armTwin lays everything out as the last column does, which the generator checks.
var armTwin = column{"", Target{"windows", "386"}, 4}

// Extent is the offset and the width of a field in its struct, in bytes.
type Extent struct{ Offset, Width int64 }

// Row is one line of the table: a type with its size, or a field with its offset and width.
type Row struct {
	Struct, Field     string // C names; no field for the size of a type
	GoStruct, GoField string
	Columns           [4]Extent
}

// Name is what uform_layout_of calls it.
func (r Row) Name() string {
	if r.Field == "" {
		return r.Struct
	}
	return r.Struct + "." + r.Field
}

// extents are a header's rows as its target sees them.
func (h *Header) extents() []Row {
	var rows []Row
	for _, e := range h.Enums {
		rows = append(rows, Row{Struct: e.C, GoStruct: e.Go, Columns: [4]Extent{{0, e.Size}}})
	}
	for _, s := range h.Structs {
		rows = append(rows, Row{Struct: s.C, GoStruct: s.Go, Columns: [4]Extent{{0, s.Size}}})
		for _, f := range s.Fields {
			rows = append(rows, Row{Struct: s.C, Field: f.C, GoStruct: s.Go, GoField: f.Go,
				Columns: [4]Extent{{f.Offset, f.Width}}})
		}
	}
	return rows
}

// parseAll parses the header for every data model, and returns it with the table of all of them.
func parseAll(headers Headers) (*Header, []Row, error) {
	var first *Header
	var table []Row
	for i, c := range append(columns[:], armTwin) {
		h, err := parse(c.Target, headers)
		if err != nil {
			return nil, nil, fmt.Errorf("%v: %w", c.Target, err)
		}
		rows := h.extents()
		if err := checkRows(rows, c.Target.String(), c.Word); err != nil {
			return nil, nil, err
		}
		if i == 0 {
			first, table = h, rows
			continue
		}
		if err := sameOrder(table, rows, c.Target); err != nil {
			return nil, nil, err
		}
		if i == len(columns) {
			if err := sameAsLast(table, rows, c.Target); err != nil {
				return nil, nil, err
			}
			continue
		}
		for j, row := range rows {
			table[j].Columns[i] = row.Columns[0]
		}
	}
	return first, table, agree(table)
}

// tailPadded are the structs that may end in padding where a word is eight bytes: a page gives
// their fields.
var tailPadded = map[string]bool{"uform_rows_view_t": true}

// checkRows refuses padding that no field names: two targets could differ there.
func checkRows(rows []Row, target string, word int64) error {
	for i := 0; i < len(rows); i++ {
		if rows[i].Field != "" {
			continue
		}
		whole, end := rows[i], int64(0)
		for i+1 < len(rows) && rows[i+1].Field != "" {
			i++
			place := rows[i].Columns[0]
			if place.Offset < end {
				return fmt.Errorf("%s: begins at %d on %s, before the field above it ends", rows[i].Name(), place.Offset, target)
			}
			if place.Offset > end {
				return fmt.Errorf("%s: %d bytes of implicit padding before it on %s", rows[i].Name(), place.Offset-end, target)
			}
			end = place.Offset + place.Width
		}
		size := whole.Columns[0].Width
		if isEnum := end == 0; isEnum {
			if size != 4 {
				return fmt.Errorf("%s: %d bytes wide on %s, an enumeration has four", whole.Name(), size, target)
			}
			continue
		}
		if size != end && !(tailPadded[whole.Struct] && word == 8) {
			return fmt.Errorf("%s: %d bytes of implicit padding at its end on %s", whole.Name(), size-end, target)
		}
	}
	return nil
}

// sameOrder refuses targets with other declarations or another order of them.
func sameOrder(a, b []Row, target Target) error {
	if len(a) != len(b) {
		return fmt.Errorf("%v: %d types and fields, %d elsewhere", target, len(b), len(a))
	}
	for i := range a {
		if a[i].Name() != b[i].Name() {
			return fmt.Errorf("%v: has %s where others have %s", target, b[i].Name(), a[i].Name())
		}
	}
	return nil
}

// sameAsLast refuses a target whose layout differs from the last column.
func sameAsLast(table, rows []Row, target Target) error {
	last := len(columns) - 1
	for i, row := range rows {
		if row.Columns[0] != table[i].Columns[last] {
			return fmt.Errorf("%s: %v lays it out differently than %v", row.Name(), target, columns[last].Target)
		}
	}
	return nil
}

// agree refuses a table whose data models differ in anything but the width of a word: Go aligns
// 64-bit fields to four bytes on every 32-bit target, so a struct that C lays out in two ways has
// no mirror.
func agree(table []Row) error {
	for _, row := range table {
		if row.Columns[0] != row.Columns[1] {
			return fmt.Errorf("%s: LP64 and LLP64 lay it out differently", row.Name())
		}
		if row.Columns[2] != row.Columns[3] {
			return fmt.Errorf("%s: i386 and ARM lay it out differently; move it to a multiple of eight", row.Name())
		}
		for _, place := range row.Columns {
			if place.Offset > math.MaxUint16 || place.Width > math.MaxUint16 {
				return fmt.Errorf("%s: too large for the table", row.Name())
			}
		}
	}
	return nil
}
