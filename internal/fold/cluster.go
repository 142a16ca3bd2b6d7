package fold

import "unicode/utf8"

// record is the folding data of a code point.
type record struct {
	class, flags uint8
	// index of the canonical decomposition, 0 for none: its length, then its code points
	decomposition uint16
	difference    int32 // to the small letter, or to the space
}

const (
	starts      = 1 << iota // no character before it composes with it or is sorted after it
	plain                   // alone, it folds to itself plus the difference
	punctuation             // runs of it are cut
)

func recordOf(c rune) *record {
	return &records[blocks[int(index[c/blockSize])*blockSize+int(c%blockSize)]]
}

// pair is a composition: first and second make composed.
type pair struct{ first, second, composed rune }

// cluster is a sequence of code points with their combining classes.
type cluster struct {
	points  []rune
	classes []uint8
}

func (c *cluster) push(point rune, class uint8) {
	c.points, c.classes = append(c.points, point), append(c.classes, class)
}

// foldCluster appends the fold of characters that belong together: NFC, lower case, NFC.
func (f *Folder) foldCluster(dst, text []byte) []byte {
	f.cluster.points, f.cluster.classes = f.cluster.points[:0], f.cluster.classes[:0]
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		f.decompose(&f.cluster, c)
		i += size
	}
	f.compose()
	changed := false
	for i, c := range f.cluster.points {
		if difference := recordOf(c).difference; difference != 0 {
			f.cluster.points[i] = c + difference
			changed = true
		}
	}
	if changed {
		f.cluster, f.sorting = f.sorting, f.cluster
		f.cluster.points, f.cluster.classes = f.cluster.points[:0], f.cluster.classes[:0]
		for _, c := range f.sorting.points {
			f.decompose(&f.cluster, c)
		}
		f.compose()
	}
	for _, c := range f.cluster.points {
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

// Hangul is composed and decomposed by arithmetic, as section 3.12 of the Unicode Standard says.
const (
	leads, vowels, trails, syllables = 0x1100, 0x1161, 0x11A7, 0xAC00
	leadCount, vowelCount            = 19, 21
	trailCount                       = 28 // no trail among them
	syllableCount                    = leadCount * vowelCount * trailCount
)

func (f *Folder) decompose(to *cluster, c rune) {
	if s := c - syllables; 0 <= s && s < syllableCount {
		to.push(leads+s/(vowelCount*trailCount), 0)
		to.push(vowels+s%(vowelCount*trailCount)/trailCount, 0)
		if trail := s % trailCount; trail != 0 {
			to.push(trails+trail, 0)
		}
		return
	}
	r := recordOf(c)
	if r.decomposition == 0 {
		to.push(c, r.class)
		return
	}
	count := decompositions[r.decomposition]
	for _, part := range decompositions[r.decomposition+1:][:count] {
		to.push(part, recordOf(part).class)
	}
}

// compose brings the decomposed cluster into canonical order and composes it.
func (f *Folder) compose() {
	c := &f.cluster
	for i := 0; i < len(c.classes); {
		if c.classes[i] == 0 {
			i++
			continue
		}
		begin, sorted := i, true
		for i++; i < len(c.classes) && c.classes[i] != 0; i++ {
			sorted = sorted && c.classes[i-1] <= c.classes[i]
		}
		if !sorted {
			f.sort(begin, i)
		}
	}
	starter, before, length := -1, -1, 0 // before: the class of the last mark between, −1 for none
	for i, point := range c.points {
		class := int(c.classes[i])
		if starter >= 0 && before < class {
			if composed, ok := composition(c.points[starter], point); ok {
				c.points[starter] = composed
				continue
			}
		}
		if before = class; class == 0 {
			starter, before = length, -1
		}
		c.points[length], c.classes[length] = point, uint8(class)
		length++
	}
	c.points, c.classes = c.points[:length], c.classes[:length]
}

// sort orders marks by their classes and keeps the order of equal ones. It is a counting sort: a
// text may hold a million marks.
func (f *Folder) sort(begin, end int) {
	points, classes := f.cluster.points[begin:end], f.cluster.classes[begin:end]
	var places [257]int
	for _, class := range classes {
		places[int(class)+1]++
	}
	for class := range 256 {
		places[class+1] += places[class]
	}
	f.sorting.points = append(f.sorting.points[:0], points...)
	f.sorting.classes = append(f.sorting.classes[:0], classes...)
	for i, class := range f.sorting.classes {
		points[places[class]], classes[places[class]] = f.sorting.points[i], class
		places[class]++
	}
}

func composition(first, second rune) (rune, bool) {
	if lead, vowel := first-leads, second-vowels; 0 <= lead && lead < leadCount && 0 <= vowel && vowel < vowelCount {
		return syllables + (lead*vowelCount+vowel)*trailCount, true
	}
	if s, trail := first-syllables, second-trails; 0 <= s && s < syllableCount && s%trailCount == 0 && 0 < trail && trail < trailCount {
		return first + trail, true
	}
	low, high := 0, len(pairs)
	for low < high {
		middle := (low + high) / 2
		switch p := &pairs[middle]; {
		case p.first == first && p.second == second:
			return p.composed, true
		case p.first < first || p.first == first && p.second < second:
			low = middle + 1
		default:
			high = middle
		}
	}
	return 0, false
}
