package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pinned lists the structs whose fields a page spells out, and with it the contract: B03, B04, A32,
// B12 and B14. Their fields keep their order, widths and names.
var pinned = []string{
	"uform_arena_init_t", "uform_arena_describe_t", "uform_arena_description_t", "uform_rows_view_t", "uform_tape_view_t",
}

// pinnedNumbers lists the enumerators whose numbers the contract spells out. They keep their
// numbers.
var pinnedNumbers = []string{
	// B17: a page lists the two moods with their numbers.
	"uform_mood_parked_k", "uform_mood_spinning_k",
	// B12: rows feed a USearch index as they are (examples/recipes/usearch does it), so these have
	// the numbers of USearch.
	"uform_scalar_unknown_k", "uform_scalar_f32_k", "uform_scalar_f64_k", "uform_scalar_f16_k", "uform_scalar_i8_k",
	"uform_scalar_b1_k", "uform_scalar_bf16_k",
}

// member is one field of a struct in the header.
type member struct{ doc, kind, name string }

func (m member) String() string {
	space := " "
	if strings.HasSuffix(m.kind, "*") {
		space = ""
	}
	return m.doc + "    " + m.kind + space + m.name + ";\n"
}

// bytes is the width of a field on 64-bit targets, zero for one that stays where it is. A word is
// 9: it has another width on 32-bit targets.
func (m member) bytes() int {
	switch {
	case strings.Contains(m.name, "[") || strings.HasPrefix(m.kind, "void"), strings.HasSuffix(m.kind, "_callback_t"), m.name == "reserved":
		return 0
	case strings.HasSuffix(m.kind, "*"), m.kind == "size_t", m.kind == "uintptr_t", handle.MatchString(m.kind):
		return 9
	case m.kind == "uint64_t", m.kind == "int64_t":
		return 8
	case m.kind == "uint32_t", m.kind == "int32_t", strings.HasPrefix(m.kind, "uform_") && !strings.HasSuffix(m.kind, "_view_t"):
		return 4
	}
	return 0
}

var (
	handle     = regexp.MustCompile(`^uform_(arena|executor|model|trainer)_t$`)
	structure  = regexp.MustCompile(`(?s)typedef struct (uform_\w+_t) \{\n(.*?)\} uform_\w+_t;`)
	fieldLine  = regexp.MustCompile(`(?s)((?:    /\*\*.*?\*/\n)?)    (\w[^;]*);\n`)
	enumBody   = regexp.MustCompile(`(?s)typedef enum (uform_\w+_t) \{\n(.*?)\} uform_\w+_t;`)
	enumerator = regexp.MustCompile(`(?m)^    (uform_\w+_k) = (-?\d+),$`)
)

// structs returns the header's structs and their fields.
func (t *tree) structs() (names []string, members map[string][]member) {
	members = map[string][]member{}
	for _, found := range structure.FindAllStringSubmatch(t.header, -1) {
		names = append(names, found[1])
		for _, line := range fieldLine.FindAllStringSubmatch(found[2], -1) {
			first, _, _ := strings.Cut(line[2], ",")
			kind := line[2][:strings.LastIndexAny(first, " *")+1]
			doc := line[1]
			for name := range strings.SplitSeq(strings.TrimPrefix(line[2], kind), ", ") {
				members[found[1]] = append(members[found[1]], member{doc, strings.TrimSpace(kind), name})
				doc = ""
			}
		}
	}
	return names, members
}

// with is the header with other fields in one struct. What the header asserts of the struct's size
// goes.
func (t *tree) with(name string, members []member) string {
	var body strings.Builder
	for _, m := range members {
		body.WriteString(m.String())
	}
	asserted := regexp.MustCompile(`(?m)^UFORM_LAYOUT_CHECK_\(` + name + `,.*\n`)
	return structure.ReplaceAllStringFunc(asserted.ReplaceAllString(t.header, ""), func(text string) string {
		if structure.FindStringSubmatch(text)[1] != name {
			return text
		}
		return "typedef struct " + name + " {\n" + body.String() + "} " + name + ";"
	})
}

// pick returns a random struct that may change, and its fields.
func (t *tree) pick(random *rand.Rand) (string, []member) {
	names, members := t.structs()
	name := names[random.IntN(len(names))]
	if slices.Contains(pinned, name) {
		return "", nil
	}
	return name, members[name]
}

// number gives enumerators other numbers. The first change turns the signs of all statuses but
// success. The others swap two numbers, or move one behind all others. Zero is the default
// everywhere and stays, and so do the pinned numbers.
func number(t *tree, random *rand.Rand) (change, bool) {
	enums := enumBody.FindAllStringSubmatch(t.header, -1)
	chosen := enums[random.IntN(len(enums))]
	if !t.done["signs"] {
		chosen = enums[slices.IndexFunc(enums, func(e []string) bool { return e[1] == "uform_status_t" })]
		body := enumerator.ReplaceAllStringFunc(chosen[2], func(line string) string {
			found := enumerator.FindStringSubmatch(line)
			n, _ := strconv.Atoi(found[2])
			return fmt.Sprintf("    %s = %d,", found[1], -n)
		})
		return change{what: "every failure is positive, deferred is -1", header: strings.Replace(t.header, chosen[2], body, 1), taken: []string{"signs"}}, true
	}
	found := enumerator.FindAllStringSubmatch(chosen[2], -1)
	a, b := found[random.IntN(len(found))], found[random.IntN(len(found))]
	if a[2] == "0" || b[2] == "0" || t.done[a[1]] || t.done[b[1]] ||
		slices.Contains(pinnedNumbers, a[1]) || slices.Contains(pinnedNumbers, b[1]) {
		return change{}, false
	}
	line := func(name, number string) string { return "    " + name + " = " + number + "," }
	if a[1] != b[1] {
		header := strings.Replace(t.header, line(a[1], a[2]), line(a[1], b[2]), 1)
		header = strings.Replace(header, line(b[1], b[2]), line(b[1], a[2]), 1)
		return change{what: a[1] + " and " + b[1] + " trade numbers", header: header, taken: []string{a[1], b[1]}}, true
	}
	last := 0
	for _, e := range found {
		n, _ := strconv.Atoi(e[2])
		last = max(last, n)
	}
	after := strconv.Itoa(last + 1 + random.IntN(3))
	return change{what: a[1] + " = " + after, header: strings.Replace(t.header, line(a[1], a[2]), line(a[1], after), 1), taken: []string{a[1]}}, true
}

// order swaps two fields of one width.
func order(t *tree, random *rand.Rand) (change, bool) {
	name, members := t.pick(random)
	if len(members) < 2 {
		return change{}, false
	}
	i, j := random.IntN(len(members)), random.IntN(len(members))
	a, b := name+"."+members[i].name, name+"."+members[j].name
	if i == j || members[i].bytes() == 0 || members[i].bytes() != members[j].bytes() || t.done["order of "+a] || t.done["order of "+b] {
		return change{}, false
	}
	members[i], members[j] = members[j], members[i]
	return change{what: a + " and " + members[i].name + " trade places", header: t.with(name, members), taken: []string{"order of " + a, "order of " + b}}, true
}

// width makes two neighbours of 32 bits as wide as 64, which are two changes: so what follows stays
// on a multiple of eight.
func width(t *tree, random *rand.Rand) (change, bool) {
	name, members := t.pick(random)
	if len(members) < 2 || strings.HasSuffix(name, "_outcome_t") {
		return change{}, false
	}
	i := random.IntN(len(members) - 1)
	before := 0
	for _, m := range members[:i] {
		if m.bytes() == 4 || m.name == "reserved" {
			before++
		}
	}
	a, b := name+"."+members[i].name, name+"."+members[i+1].name
	wider := map[string]string{"uint32_t": "uint64_t", "int32_t": "int64_t"}
	after, ok := wider[members[i].kind]
	next, also := wider[members[i+1].kind]
	if !ok || !also || members[i].bytes() != members[i+1].bytes() || members[i].bytes() == 0 || before%2 != 0 || t.done["width of "+a] || t.done["width of "+b] {
		return change{}, false
	}
	members[i].kind, members[i+1].kind = after, next
	return change{ways: 2, what: a + " is " + after + ", " + members[i+1].name + " is " + next, header: t.with(name, members), taken: []string{"width of " + a, "width of " + b}}, true
}

// field adds two fields of 32 bits before a word or a field of 64: what follows stays on its
// multiple. A word would be against the contract, which knows them all.
func field(t *tree, random *rand.Rand) (change, bool) {
	name, members := t.pick(random)
	if len(members) == 0 || name == "uform_outcome_t" || t.done["field in "+name] {
		return change{}, false
	}
	i := random.IntN(len(members))
	if width := members[i].bytes(); width != 9 && width != 8 {
		return change{}, false
	}
	a, b := fmt.Sprintf("drill_%d", len(t.registered)+1), fmt.Sprintf("drill_%d", len(t.registered)+2)
	members = slices.Insert(members, i, member{"    /** Zero. [ours] */\n", "uint32_t", a}, member{"", "uint32_t", b})
	made := change{ways: 2, what: name + "." + a + " and " + b + " are new", taken: []string{"field in " + name}}
	for _, added := range []string{a, b} {
		line := fmt.Sprintf("    FIELD(%s, %s),\n", name, added)
		t.registered = append(t.registered, line)
		made.hands = append(made.hands, "testdata/libuform/library.c: "+strings.TrimSpace(line))
	}
	made.header = t.with(name, members)
	return made, true
}

// entryPoint adds an optional verb with an argument struct of its own.
func entryPoint(t *tree, random *rand.Rand) (change, bool) {
	at := regexp.MustCompile(`(?m)^UFORM_API void uform_\w+\(uform_\w+_t \*arguments\);\n`).FindAllStringIndex(t.header, -1)
	end := at[random.IntN(len(at))][1]
	verb := fmt.Sprintf("uform_drill%d", len(at))
	text := fmt.Sprintf("\n/** @sa %[1]s */\ntypedef struct %[1]s_t {\n    /** Output for the outcome. */\n    uform_outcome_t *outcome;\n"+
		"    /** Zero. */\n    size_t reserved;\n} %[1]s_t;\n\n/** @brief Rehearses. [ours] @b Optional. */\nUFORM_API void %[1]s(%[1]s_t *arguments);\n", verb)
	line := fmt.Sprintf("    F2(%s_t, outcome, reserved),\n", verb)
	t.registered = append(t.registered, line)
	return change{
		what: verb + " is new", header: t.header[:end] + text + t.header[end:],
		hands: []string{"testdata/libuform/library.c: " + strings.TrimSpace(line)},
	}, true
}

// name gives a field, a function or an enumerator another name in C. The table of names keeps the
// Go name, and the C library follows. A C name that Go sources spell stays.
func name(t *tree, random *rand.Rand) (change, bool) {
	_, members := t.structs()
	var old string
	var lines []string
	switch random.IntN(2) {
	case 0:
		structName, fields := t.pick(random)
		if len(fields) == 0 {
			return change{}, false
		}
		old, _, _ = strings.Cut(fields[random.IntN(len(fields))].name, "[")
		for other, fields := range members { // one word in C, so it is renamed everywhere
			for _, m := range fields {
				word, _, _ := strings.Cut(m.name, "[")
				if word != old {
					continue
				}
				if slices.Contains(pinned, other) || strings.Contains(t.goText, `"`+other+"."+old+`"`) {
					return change{}, false
				}
				lines = append(lines, other+"."+old+"_now\t"+goName(old)+"\n")
			}
		}
		if old == "reserved" || structName == "uform_outcome_t" {
			return change{}, false
		}
	default:
		// A verb and its argument struct share a name, so functions without one are left out.
		functions := regexp.MustCompile(`(?m)^UFORM_API \w[\w ]*?\*?(uform_\w+)\((?:void|uform_\w+_t \w+|[^;]*[^s])\);`).FindAllStringSubmatch(t.header, -1)
		old = functions[random.IntN(len(functions))][1]
		if strings.Contains(t.goText, `"`+old+`"`) || strings.Contains(old, "drill") {
			return change{}, false
		}
		lines = []string{old + "_now\t" + goName(strings.TrimPrefix(old, "uform_")) + "\n"}
	}
	if t.done["name "+old] || strings.HasSuffix(old, "_now") {
		return change{}, false
	}
	slices.Sort(lines)
	t.names = append(t.names, lines...)
	t.words[old] = old + "_now"
	hands := []string{"testdata/libuform: " + old + " becomes " + old + "_now"}
	for _, line := range lines {
		hands = append(hands, "abi/names.tsv: "+strings.Replace(strings.TrimSpace(line), "\t", " ", 1))
	}
	return change{what: old + " is " + old + "_now", header: renamed(t.header, map[string]string{old: old + "_now"}), taken: []string{"name " + old}, hands: hands}, true
}

// goName returns the generator's Go name of a C name: see ci/abigen/naming.go.
func goName(c string) string {
	spelled := map[string]string{"gpu": "GPU", "vram": "VRAM", "numa": "NUMA", "io": "IO"}
	var b strings.Builder
	for word := range strings.SplitSeq(c, "_") {
		if known, ok := spelled[word]; ok {
			b.WriteString(known)
		} else if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// file moves the last declarations out of uform.h into a file of their own, which includes the one
// before it, which includes it in turn. Both ways of naming a file take turns.
func file(t *tree, random *rand.Rand) (change, bool) {
	const opening, closing = "/* -------------------- Errors", "/** Sizes any binding can assume"
	start, end := strings.Index(t.header, opening), strings.LastIndex(t.header, closing)
	breaks := regexp.MustCompile(`(?m);\n\n/\*\*`).FindAllStringIndex(t.header[start:end], -1)
	number := each - len(t.parts)
	if len(breaks) < number {
		return change{}, false
	}
	// The rest is cut into as many parts of about one size as are to come.
	cut := start + breaks[len(breaks)*(number-1)/number+random.IntN(max(1, len(breaks)/number/4))][0] + 2
	if number == 1 {
		cut = start
	}
	name := func(n int) string { return fmt.Sprintf("uform/part%d.h", n) }
	include := func(n int) string {
		if n%2 == 0 {
			return fmt.Sprintf("#include <%s>\n", name(n))
		}
		return fmt.Sprintf("#include \"part%d.h\"\n", n)
	}
	guard := fmt.Sprintf("UNUM_UFORM_PART%d_H", number)
	text := "#ifndef " + guard + "\n#define " + guard + "\n#include \"../uform.h\"\n"
	if number > 1 {
		text += include(number - 1)
	}
	text += t.header[cut:end]
	if number < each {
		text += include(number + 1)
	}
	t.parts[name(number)] = text + "#endif\n"
	header := t.header[:cut] + "\n" + t.header[end:]
	if number == 1 {
		header = t.header[:cut] + "#include \"" + name(each) + "\"\n\n" + t.header[end:]
	}
	return change{what: name(number) + " holds a tenth of the declarations", header: header}, true
}
