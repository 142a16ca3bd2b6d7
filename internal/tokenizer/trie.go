package tokenizer

// longestPiece bounds the steps from each byte of a text, so that no vocabulary makes time more
// than linear.
const longestPiece = 1024

// trie finds the pieces of a vocabulary that a text begins with. Node 0 is the root; as a child, 0
// is none.
type trie struct {
	first  [256]uint32
	slots  []uint64 // parent, byte, child by open addressing
	shift  uint
	used   int
	values []int32 // of each node, -1 for none
}

const maxNodes = 1 << 23

func newTrie() *trie {
	return &trie{slots: make([]uint64, 1<<10), shift: 32 - 10, values: []int32{-1}}
}

func (t *trie) child(parent uint32, b byte) uint32 {
	if parent == 0 {
		return t.first[b]
	}
	key := parent<<8 | uint32(b)
	mask := uint32(len(t.slots) - 1)
	for i := key * 0x9E3779B1 >> t.shift; ; i++ {
		slot := t.slots[i&mask]
		if uint32(slot>>32) == key {
			return uint32(slot)
		}
		if slot == 0 {
			return 0
		}
	}
}

func (t *trie) place(slot uint64) {
	mask := uint32(len(t.slots) - 1)
	i := uint32(slot>>32) * 0x9E3779B1 >> t.shift
	for t.slots[i&mask] != 0 {
		i++
	}
	t.slots[i&mask] = slot
	t.used++
}

func (t *trie) add(piece string, value int32) error {
	if len(piece) > longestPiece {
		return unsupported("the piece %.40q… has %d bytes; at most %d are read", piece, len(piece), longestPiece)
	}
	at := uint32(0)
	for i := range len(piece) {
		next := t.child(at, piece[i])
		if next == 0 {
			if len(t.values) == maxNodes {
				return unsupported("the pieces make over %d nodes", maxNodes)
			}
			next = uint32(len(t.values))
			t.values = append(t.values, -1)
			if at == 0 {
				t.first[piece[i]] = next
			} else {
				if 2*t.used >= len(t.slots) {
					old := t.slots
					t.slots, t.used, t.shift = make([]uint64, 2*len(old)), 0, t.shift-1
					for _, slot := range old {
						if slot != 0 {
							t.place(slot)
						}
					}
				}
				t.place(uint64(at<<8|uint32(piece[i]))<<32 | uint64(next))
			}
		}
		at = next
	}
	t.values[at] = value
	return nil
}

// walk returns the node that a text leads to from another one.
func (t *trie) walk(at uint32, text []byte) (uint32, bool) {
	for _, b := range text {
		if at = t.child(at, b); at == 0 {
			return 0, false
		}
	}
	return at, true
}

// value is that of exactly this piece, -1 for none.
func (t *trie) value(piece []byte) int32 {
	at, ok := t.walk(0, piece)
	if !ok {
		return -1
	}
	return t.values[at]
}
