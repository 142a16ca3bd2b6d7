package main

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenTargets are the columns of testdata/layout.tsv, which C compilers wrote and not the parser.
var goldenTargets = []struct {
	name   string
	target Target
	model  int
}{
	{"amd64", Target{"linux", "amd64"}, 0},
	{"i386", Target{"linux", "386"}, 2},
	{"arm64", Target{"linux", "arm64"}, 0},
	{"armhf", Target{"linux", "arm"}, 3},
	{"riscv64", Target{"linux", "riscv64"}, 0},
	{"win64", Target{"windows", "amd64"}, 1},
	{"win32", Target{"windows", "386"}, 3},
}

// golden reads testdata/layout.tsv: what each target's column says, by "uform_outcome_t.item
// offset".
func golden(t *testing.T) map[string][]int64 {
	t.Helper()
	file, err := os.Open("testdata/layout.tsv")
	require.NoError(t, err)
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '\t'
	lines, err := reader.ReadAll()
	require.NoError(t, err)
	for i, target := range goldenTargets {
		require.Equal(t, target.name, lines[0][i+1])
	}
	facts := map[string][]int64{}
	for _, line := range lines[1:] {
		for _, cell := range line[1:] {
			number, err := strconv.ParseInt(cell, 10, 64)
			require.NoError(t, err)
			facts[line[0]] = append(facts[line[0]], number)
		}
	}
	require.Len(t, facts, 464)
	return facts
}

// facts are the numbers of rows in the spelling of the golden file.
func facts(rows []Row, column int) map[string]int64 {
	all := map[string]int64{}
	for _, row := range rows {
		if row.Field == "" {
			all[row.Name()+" size"] = row.Columns[column].Width
			continue
		}
		all[row.Name()+" offset"] = row.Columns[column].Offset
		all[row.Name()+" width"] = row.Columns[column].Width
	}
	return all
}

func TestParserAgreesWithTheGoldenFacts(t *testing.T) {
	want := golden(t)
	_, table, err := parseAll(alone(headerText(t)))
	require.NoError(t, err)
	for i, target := range goldenTargets {
		t.Run(target.name, func(t *testing.T) {
			expected := map[string]int64{}
			for name, numbers := range want {
				expected[name] = numbers[i]
			}
			h, err := parse(target.target, alone(headerText(t)))
			require.NoError(t, err)
			require.Equal(t, expected, facts(h.extents(), 0))
			require.Equal(t, expected, facts(table, target.model))
		})
	}
}

// field finds one field of a header, for a planted fault.
func field(t *testing.T, h *Header, c, name string) (*Struct, int) {
	t.Helper()
	i := slices.IndexFunc(h.Structs, func(s Struct) bool { return s.C == c })
	require.GreaterOrEqual(t, i, 0)
	j := slices.IndexFunc(h.Structs[i].Fields, func(f Field) bool { return f.C == name })
	require.GreaterOrEqual(t, j, 0)
	return &h.Structs[i], j
}

// rowOf finds one row of a table, for a planted fault.
func rowOf(t *testing.T, table []Row, name string) *Row {
	t.Helper()
	i := slices.IndexFunc(table, func(r Row) bool { return r.Name() == name })
	require.GreaterOrEqual(t, i, 0)
	return &table[i]
}

// planted are faults that each of the two proofs must find: in the table that C compilers are
// compared with, and in the mirrors that the Go compiler checks against it.
var planted = []struct {
	name string
	// table changes the table, or is nil where the fault is in the declarations.
	table func(*testing.T, []Row)
	// mirror changes the declarations that mirrors are made of; text changes the header that C
	// compilers read.
	mirror   func(*testing.T, *Header)
	old, new string
	// wide and narrow are the Go compiler's errors on 64-bit and on 32-bit targets, empty where it
	// finds none; probed is the error of the comparison with C compilers.
	wide, narrow, probed string
}{
	{
		name: "wrong offset",
		table: func(t *testing.T, table []Row) {
			row := rowOf(t, table, "uform_text_choose_t.question_types")
			for i := range row.Columns {
				row.Columns[i].Offset += 4
			}
		},
		wide: "unsafe.Offsetof(TextChoose{}.QuestionTypes)", narrow: "unsafe.Offsetof(TextChoose{}.QuestionTypes)",
		probed: "uform_text_choose_t.question_types: offset",
	},
	{
		name: "wrong width in the table",
		table: func(t *testing.T, table []Row) {
			row := rowOf(t, table, "uform_outcome_t.item")
			for i := range row.Columns {
				row.Columns[i].Width = 2
			}
		},
		wide: "unsafe.Sizeof(Outcome{}.Item)", narrow: "unsafe.Sizeof(Outcome{}.Item)",
		probed: "uform_outcome_t.item: width",
	},
	{
		name: "wrong size",
		table: func(t *testing.T, table []Row) {
			row := rowOf(t, table, "uform_trainer_stats_t")
			for i := range row.Columns {
				row.Columns[i].Width += 8
			}
		},
		wide: "unsafe.Sizeof(TrainerStats{})", narrow: "unsafe.Sizeof(TrainerStats{})",
		probed: "uform_trainer_stats_t: width",
	},
	{
		// Two words trade places: every size stays as it was.
		name: "swap",
		mirror: func(t *testing.T, h *Header) {
			s, i := field(t, h, "uform_image_encode_pixels_t", "heights")
			s.Fields[i], s.Fields[i+1] = s.Fields[i+1], s.Fields[i]
		},
		old:  "    uint32_t const *heights;\n    /** Pixels in a row of each item, likewise. */\n    uint32_t const *widths;\n",
		new:  "    uint32_t const *widths;\n    uint32_t const *heights;\n",
		wide: "unsafe.Offsetof(ImageEncodePixels{}.Heights)", narrow: "unsafe.Offsetof(ImageEncodePixels{}.Heights)",
		probed: "uform_image_encode_pixels_t.heights: offset",
	},
	{
		// A number of 32 bits where a word belongs: Go and C pad it on 64-bit targets, so every
		// offset stays as it was, and on 32-bit targets nothing differs.
		name: "wrong width",
		mirror: func(t *testing.T, h *Header) {
			s, i := field(t, h, "uform_gpu_devices_t", "capacity")
			s.Fields[i].Type.Go = "uint32"
		},
		old:    "    size_t capacity;\n",
		new:    "    uint32_t capacity;\n",
		wide:   "unsafe.Sizeof(GPUDevices{}.Capacity)",
		probed: "uform_gpu_devices_t.capacity: width",
	},
}

func TestGoRefusesMirrorsThatDoNotKeepTheTable(t *testing.T) {
	for _, fault := range planted {
		t.Run(fault.name, func(t *testing.T) {
			h, table, err := parseAll(alone(headerText(t)))
			require.NoError(t, err)
			if fault.table != nil {
				fault.table(t, table)
			} else {
				fault.mirror(t, h)
			}
			files, err := render(h, table)
			require.NoError(t, err)
			for _, arch := range checkedArchitectures {
				want := fault.wide
				if arch == "386" || arch == "arm" {
					want = fault.narrow
				}
				err := checkMirrorsFor(arch, files)
				if want == "" {
					require.NoError(t, err, arch)
					continue
				}
				require.ErrorContains(t, err, want, arch)
				require.ErrorContains(t, err, "cannot use", arch)
			}
		})
	}
}

// The proof checks one fact at a time: a fault of one field is not reported for its neighbours too.
func TestTheProofNamesTheFieldAtFault(t *testing.T) {
	h, table, err := parseAll(alone(headerText(t)))
	require.NoError(t, err)
	rowOf(t, table, "uform_outcome_t.message").Columns[0].Offset = 16
	files, err := render(h, table)
	require.NoError(t, err)
	err = checkMirrorsFor("amd64", files)
	require.ErrorContains(t, err, "Outcome{}.Message")
	require.Equal(t, 1, strings.Count(err.Error(), "cannot use"), err)
	require.NoError(t, checkMirrorsFor("386", files))
}

// Layouts that no mirror can have are refused before a mirror is written.
func TestLayoutsThatTargetsDisagreeOnAreRefused(t *testing.T) {
	// One word and a 64-bit field: i386 aligns it to four, ARM pads it to eight.
	const uneven = "typedef struct uform_uneven_t { size_t a; uint64_t b; } uform_uneven_t;"
	_, _, err := parseAll(alone(withDeclaration(t, uneven)))
	require.ErrorContains(t, err, "uform_uneven_t.b: 4 bytes of implicit padding before it on linux/arm")

	const tail = "typedef struct uform_tail_t { size_t a; uint32_t b; } uform_tail_t;"
	_, _, err = parseAll(alone(withDeclaration(t, tail)))
	require.ErrorContains(t, err, "uform_tail_t: 4 bytes of implicit padding at its end on linux/amd64")

	const large = "typedef struct uform_large_t { char text[70000]; } uform_large_t;"
	_, _, err = parseAll(alone(withDeclaration(t, large)))
	require.ErrorContains(t, err, "uform_large_t: too large for the table")
}

// What only a single target can have is shown on tables written by hand.
func TestTablesThatDisagreeAreRefused(t *testing.T) {
	row := func(columns ...int64) []Row {
		r := Row{Struct: "uform_any_t", Field: "a"}
		for i, offset := range columns {
			r.Columns[i] = Extent{offset, 4}
		}
		return []Row{r}
	}
	require.NoError(t, agree(row(8, 8, 4, 4)))
	require.ErrorContains(t, agree(row(8, 4, 4, 4)), "uform_any_t.a: LP64 and LLP64")
	require.ErrorContains(t, agree(row(8, 8, 4, 8)), "uform_any_t.a: i386 and ARM")

	require.NoError(t, sameAsLast(row(8, 8, 4, 4), row(4), armTwin.Target))
	require.ErrorContains(t, sameAsLast(row(8, 8, 4, 4), row(8), armTwin.Target), "uform_any_t.a: windows/386 lays it out differently than linux/arm")

	two := []Row{{Struct: "uform_any_t"}, {Struct: "uform_any_t", Field: "a"}}
	swapped := []Row{{Struct: "uform_any_t"}, {Struct: "uform_any_t", Field: "b"}}
	require.ErrorContains(t, sameOrder(two, swapped, armTwin.Target), "windows/386: has uform_any_t.b where others have uform_any_t.a")
	require.ErrorContains(t, sameOrder(two, two[:1], armTwin.Target), "windows/386: 1 types and fields, 2 elsewhere")

	overlap := []Row{
		{Struct: "uform_any_t", Columns: [4]Extent{{0, 8}}},
		{Struct: "uform_any_t", Field: "a", Columns: [4]Extent{{0, 8}}},
		{Struct: "uform_any_t", Field: "b", Columns: [4]Extent{{4, 4}}},
	}
	require.ErrorContains(t, checkRows(overlap, "a machine", 8), "uform_any_t.b: begins at 4")
	byteEnum := []Row{{Struct: "uform_side_t", Columns: [4]Extent{{0, 1}}}}
	require.ErrorContains(t, checkRows(byteEnum, "a machine", 8), "uform_side_t: 1 bytes wide")
}
