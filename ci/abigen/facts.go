package main

import (
	"fmt"
	"strings"
)

// layoutDecls are the hand-written declarations around the generated rows.
const layoutDecls = `
// DataModel says how a C implementation lays structs out: the width of its words, and how it aligns
// 64-bit fields.
type DataModel int

const (
	// LP64 has words of eight bytes and 64-bit long: Linux, macOS and the BSDs on 64-bit machines.
	LP64 DataModel = iota
	// LLP64 has words of eight bytes and 32-bit long: Windows on 64-bit machines.
	LLP64
	// ILP32I386 has words of four bytes and aligns 64-bit fields to four: Linux on i386.
	ILP32I386
	// ILP32ARM has words of four bytes and aligns 64-bit fields to eight: Linux on ARM, Windows on
	// i386.
	ILP32ARM
)

// RunningModel is the data model of C on the system this program was built for.
func RunningModel() DataModel {
	switch {
	case unsafe.Sizeof(uintptr(0)) == 8 && runtime.GOOS == "windows":
		return LLP64
	case unsafe.Sizeof(uintptr(0)) == 8:
		return LP64
	case runtime.GOARCH == "386" && runtime.GOOS != "windows":
		return ILP32I386
	}
	return ILP32ARM
}

// Extent is the offset and the width of a field in its struct, in bytes.
type Extent struct{ Offset, Width uint16 }

// Layout is one line of the table that the generator computed from the header: a field with its
// place, or, with an empty Field, a type whose Width is its size. Names are C's; Models is indexed
// by [DataModel].
type Layout struct {
	Struct, Field string
	Models        [4]Extent
}

// Layouts returns a copy of the table.
func Layouts() []Layout { return slices.Clone(layouts[:]) }

// Fact is one size, or one offset with its width, all in bytes. A type has a Size and an empty
// Field, a field has an Offset and a Width.
type Fact struct {
	Struct, Field       string
	Size, Offset, Width uintptr
}

// Name is the argument of [Library.LayoutOf]: "uform_outcome_t" or "uform_outcome_t.status".
func (f Fact) Name() string {
	if f.Field == "" {
		return f.Struct
	}
	return f.Struct + "." + f.Field
}

// Bytes is what [Library.LayoutOf] returns where the layouts agree: the size of a type, the offset
// of a field.
func (f Fact) Bytes() uintptr {
	if f.Field == "" {
		return f.Size
	}
	return f.Offset
}

// Expected returns the facts of the table for [RunningModel], in the order of [Measured].
func Expected() []Fact {
	model := RunningModel()
	facts := make([]Fact, len(layouts))
	for i, l := range layouts {
		place := l.Models[model]
		facts[i] = Fact{Struct: l.Struct, Field: l.Field}
		if l.Field == "" {
			facts[i].Size = uintptr(place.Width)
		} else {
			facts[i].Offset, facts[i].Width = uintptr(place.Offset), uintptr(place.Width)
		}
	}
	return facts
}
`

// writeLayout is abi/layout_generated.go: the table and what the Go compiler makes of the mirrors.
func writeLayout(table []Row) string {
	var b strings.Builder
	b.WriteString(banner + "\npackage abi\n\nimport (\n\t\"runtime\"\n\t\"slices\"\n\t\"unsafe\"\n)\n" + layoutDecls)
	b.WriteString("\n// Measured returns the facts of the Go mirrors, for a comparison with those of a library.\n" +
		"func Measured() []Fact {\n\treturn []Fact{\n")
	for _, row := range table {
		if row.Field == "" {
			fmt.Fprintf(&b, "\t\t{Struct: %q, Size: %s},\n", row.Struct, row.size())
			continue
		}
		fmt.Fprintf(&b, "\t\t{Struct: %q, Field: %q, Offset: %s, Width: %s},\n", row.Struct, row.Field, row.offset(), row.size())
	}
	b.WriteString("\t}\n}\n\nvar layouts = [...]Layout{\n")
	for _, row := range table {
		fmt.Fprintf(&b, "\t{%q, %q, [4]Extent{", row.Struct, row.Field)
		for i, place := range row.Columns {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "{%d, %d}", place.Offset, place.Width)
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// size and offset are the Go expressions that measure a row on the mirrors.
func (r Row) size() string {
	switch {
	case r.Field != "":
		return fmt.Sprintf("unsafe.Sizeof(%s{}.%s)", r.GoStruct, r.GoField)
	case r.Columns[0].Width == 4: // an enumeration, as no struct is that small
		return fmt.Sprintf("unsafe.Sizeof(%s(0))", r.GoStruct)
	}
	return fmt.Sprintf("unsafe.Sizeof(%s{})", r.GoStruct)
}

func (r Row) offset() string { return fmt.Sprintf("unsafe.Offsetof(%s{}.%s)", r.GoStruct, r.GoField) }

// proofDoc explains the odd-looking declarations of the proof.
const proofDoc = `
// A wrong mirror does not compile: each line assigns an array with as many elements as C has bytes
// to an array with as many elements as Go has bytes. Where they differ, the compiler refuses the
// line and prints both numbers. Offsets alone would accept a field that is too narrow, and sizes
// alone two fields that trade places, so every field is checked by both.
const (
	wide   = uint64(unsafe.Sizeof(uintptr(0))) / 8 // one where words are eight bytes, else zero
	narrow = 1 - wide
)
`

// writeProof is abi/proof_generated.go: declarations that only compile while the mirrors keep the
// table.
func writeProof(table []Row) string {
	var b strings.Builder
	b.WriteString(banner + "\npackage abi\n\nimport \"unsafe\"\n" + proofDoc + "\nvar (\n")
	claim := func(row Row, measure string, pick func(Extent) int64) {
		fmt.Fprintf(&b, "\t_ [%d*wide + %d*narrow]struct{} = [%s]struct{}{}\n",
			pick(row.Columns[0]), pick(row.Columns[2]), measure)
	}
	for _, row := range table {
		if row.Field == "" {
			claim(row, row.size(), func(e Extent) int64 { return e.Width })
			continue
		}
		claim(row, row.offset(), func(e Extent) int64 { return e.Offset })
		claim(row, row.size(), func(e Extent) int64 { return e.Width })
	}
	b.WriteString(")\n")
	return b.String()
}
