package tokenizer

// mergeTable finds a merge by its pair, by open addressing.
type mergeTable struct {
	slots []mergeSlot
	shift uint
}

type mergeSlot struct {
	pair     uint64
	rank, id uint32 // rank counts from 1, 0 is an empty slot
}

func newMergeTable(count int) mergeTable {
	bits := uint(4)
	for 1<<bits < 2*count {
		bits++
	}
	return mergeTable{make([]mergeSlot, 1<<bits), 64 - bits}
}

func pairOf(a, b int32) uint64 { return uint64(a)<<32 | uint64(uint32(b)) }

// slot is where a pair stands, or would.
func (t *mergeTable) slot(pair uint64) *mergeSlot {
	mask := uint64(len(t.slots) - 1)
	for i := pair * 0x9E3779B97F4A7C15 >> t.shift; ; i++ {
		slot := &t.slots[i&mask]
		if slot.rank == 0 || slot.pair == pair {
			return slot
		}
	}
}

// symbol is a part of a word: linked to its neighbours by their places, -1 for none. A merged one
// has no length.
type symbol struct {
	id, previous, next, length int32
	pair                       *mergeSlot // with the next, where short words note it
}

// shortWord is up to how many symbols looking at all of them for each merge is faster than a queue.
const shortWord = 32

func (m *bpe) pair(a, b *symbol) *mergeSlot { return m.merges.slot(pairOf(a.id, b.id)) }

// mergeShort looks for the first merge again and again.
func (m *bpe) mergeShort(s *Scratch) {
	symbols := s.symbols
	for i := 0; i+1 < len(symbols); i++ {
		symbols[i].pair = m.pair(&symbols[i], &symbols[i+1])
	}
	for len(symbols) > 1 {
		best, rank := -1, ^uint32(0)
		for i := range len(symbols) - 1 {
			if r := symbols[i].pair.rank; r != 0 && r < rank {
				best, rank = i, r
			}
		}
		if best < 0 {
			break
		}
		symbols[best].id = int32(symbols[best].pair.id)
		symbols[best].length += symbols[best+1].length
		copy(symbols[best+1:], symbols[best+2:])
		symbols = symbols[:len(symbols)-1]
		if best+1 < len(symbols) {
			symbols[best].pair = m.pair(&symbols[best], &symbols[best+1])
		}
		if best > 0 {
			symbols[best-1].pair = m.pair(&symbols[best-1], &symbols[best])
		}
	}
	s.symbols = symbols
}

// mergeLong keeps the merges that are possible in a queue, so that a word takes n log n steps.
func (m *bpe) mergeLong(s *Scratch) {
	symbols := s.symbols
	s.queue = s.queue[:0]
	for i := range symbols {
		symbols[i].previous, symbols[i].next = int32(i-1), int32(i+1)
	}
	symbols[len(symbols)-1].next = -1
	for i := range len(symbols) - 1 {
		m.offer(s, i, i+1)
	}
	for len(s.queue) > 0 {
		top := s.pop()
		at, rank := int(uint32(top)), uint32(top>>32)
		left := &symbols[at]
		if left.length == 0 || left.next < 0 {
			continue
		}
		right := &symbols[left.next]
		slot := m.pair(left, right)
		if slot.rank != rank {
			continue
		}
		left.id = int32(slot.id)
		left.length += right.length
		left.next = right.next
		right.length = 0
		if left.next >= 0 {
			symbols[left.next].previous = int32(at)
			m.offer(s, at, int(left.next))
		}
		if left.previous >= 0 {
			m.offer(s, int(left.previous), at)
		}
	}
}

func (m *bpe) offer(s *Scratch, left, right int) {
	if slot := m.pair(&s.symbols[left], &s.symbols[right]); slot.rank != 0 {
		s.push(uint64(slot.rank)<<32 | uint64(uint32(left)))
	}
}

// push and pop keep the queue a heap with the least first.
func (s *Scratch) push(value uint64) {
	s.queue = append(s.queue, value)
	for i := len(s.queue) - 1; i > 0; {
		parent := (i - 1) / 2
		if s.queue[parent] <= value {
			break
		}
		s.queue[i], s.queue[parent] = s.queue[parent], value
		i = parent
	}
}

func (s *Scratch) pop() uint64 {
	top, last := s.queue[0], len(s.queue)-1
	value := s.queue[last]
	s.queue = s.queue[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			if i < last {
				s.queue[i] = value
			}
			break
		}
		if child+1 < last && s.queue[child+1] < s.queue[child] {
			child++
		}
		if s.queue[child] >= value {
			s.queue[i] = value
			break
		}
		s.queue[i] = s.queue[child]
		i = child
	}
	return top
}
