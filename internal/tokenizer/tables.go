package tokenizer

import "sort"

// record is what the reference knows of a code point.
type record struct {
	flags    uint32
	class    uint8 // the canonical combining class
	cluster  uint8 // the grapheme cluster break
	conjunct uint8 // 1 extends a conjunct, 2 links one
}

// mapping is what a code point becomes.
type mapping struct {
	from rune
	to   string
}

// composition says that first and second make composed.
type composition struct{ first, second, composed rune }

func recordOf(c rune) *record {
	return &records[blocks[int(blockOf[c/blockSize])*blockSize+int(c%blockSize)]]
}

func is(c rune, flags uint32) bool { return recordOf(c).flags&flags != 0 }

func find(table []mapping, c rune) string {
	i := sort.Search(len(table), func(i int) bool { return table[i].from >= c })
	if i < len(table) && table[i].from == c {
		return table[i].to
	}
	return ""
}

// Hangul syllables are composed and decomposed by arithmetic.
const (
	hangulBase, hangulCount = 0xAC00, 11172
	leadBase, leadCount     = 0x1100, 19
	vowelBase, vowelCount   = 0x1161, 21
	trailBase, trailCount   = 0x11A7, 28
	hangulPerLead           = vowelCount * trailCount
)

// compose returns the character that two make, 0 for none.
func compose(a, b rune) rune {
	switch {
	case a >= leadBase && a < leadBase+leadCount && b >= vowelBase && b < vowelBase+vowelCount:
		return hangulBase + (a-leadBase)*hangulPerLead + (b-vowelBase)*trailCount
	case a >= hangulBase && a < hangulBase+hangulCount && b > trailBase && b < trailBase+trailCount &&
		(a-hangulBase)%trailCount == 0:
		return a + b - trailBase
	}
	i := sort.Search(len(composed), func(i int) bool {
		c := &composed[i]
		return c.first > a || c.first == a && c.second >= b
	})
	if i < len(composed) && composed[i].first == a && composed[i].second == b {
		return composed[i].composed
	}
	return 0
}
