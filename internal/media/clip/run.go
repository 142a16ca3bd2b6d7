package clip

import "slices"

// run is samples that are decoded one after another, from first to last. The first is a key.
type run struct{ first, last int }

// plan returns the runs that must be decoded to show some samples: each sample needs those between
// it and a key that is shown no later. Runs are in order and do not overlap or touch.
func plan(t *track, needed []int) []run {
	wanted := slices.Clone(needed)
	slices.Sort(wanted)
	var runs []run
	for _, target := range wanted {
		first := t.keyFor(target)
		if last := len(runs) - 1; last >= 0 && first <= runs[last].last+1 {
			runs[last].last = target
			continue
		}
		runs = append(runs, run{first, target})
	}
	return runs
}

// keyFor returns the key from which a sample decodes. A frame that is shown before a key may depend
// on samples before it. If no key is marked, everything is decoded.
func (t *track) keyFor(target int) int {
	for i := target; i >= 0; i-- {
		if s := &t.samples[i]; s.key && s.start <= t.samples[target].start {
			return i
		}
	}
	return 0
}
