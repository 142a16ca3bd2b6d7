package train

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// hash finds the rows of the table of n-grams of all texts, once for all passes of a step.
func (r *run) hash() {
	if r.grams == nil {
		return
	}
	r.spread.each(len(r.samples), 16, func(_, begin, end int) {
		w := r.take()
		defer r.give(w)
		for i := begin; i < end; i++ {
			s := &r.samples[i]
			s.rows, s.ends = r.config.Grams.AppendRows(s.rows[:0], s.ends[:0], s.text, &w.padded)
		}
	})
}

// readInputs writes the input rows of a chunk to rows, and the mean of each item's rows where the
// projection takes it.
func (r *run) readInputs(rows []float32) {
	d := r.width
	r.spread(len(r.spans), func(i int) {
		span := r.spans[i]
		s := &r.samples[span.item]
		own := rows[span.start*d:][:span.length*d]
		if s.patches != nil {
			r.readPatches(own, s)
		} else {
			for at, b := range s.text {
				r.readText(own[at*d:(at+1)*d], s, at, b)
			}
		}
		if s.question {
			return
		}
		pooled := r.pooled(span.item)
		switch {
		case len(r.layers) == 0:
			meanRows(pooled[:d], own)
			copy(pooled[d:], pooled[:d])
		case r.config.Skip:
			meanRows(pooled[d:], own)
		}
	})
}

func (r *run) readText(row []float32, s *sample, at int, b byte) {
	d := r.width
	copy(row, r.bytes.weights[int(b)*d:][:d])
	if r.grams == nil {
		return
	}
	for _, gram := range s.gramsOf(at) {
		kernel.Add(row, r.grams.weights[int(gram)*d:][:d])
	}
}

// gramsOf returns the rows of the table of n-grams that belong to byte i of a text.
func (s *sample) gramsOf(i int) []uint32 {
	begin := 0
	if i > 0 {
		begin = s.ends[i-1]
	}
	return s.rows[begin:s.ends[i]]
}

func (r *run) readPatches(rows []float32, s *sample) {
	d := r.width
	patches := r.imagePatches
	if s.modality == abi.ModalityAudio {
		patches = r.audioPatches
	}
	patches.forward.Product(rows, d, s.patches, patches.Columns, s.tokens)
	if s.modality == abi.ModalityAudio {
		return
	}
	inPicture := r.config.Image.Tokens()
	for i := range s.tokens {
		row := rows[i*d : (i+1)*d]
		kernel.Add(row, r.imagePositions.weights[i%inPicture*d:][:d])
		if s.modality == abi.ModalityVideo {
			kernel.Add(row, r.videoTimes.weights[i/inPicture*d:][:d])
		}
	}
}

// meanRows writes the mean of rows as wide as mean.
func meanRows(mean, rows []float32) {
	clear(mean)
	count := len(rows) / len(mean)
	for i := range count {
		kernel.Add(mean, rows[i*len(mean):(i+1)*len(mean)])
	}
	scale(mean, 1/float32(count))
}

func scale(x []float32, factor float32) {
	for i := range x {
		x[i] *= factor
	}
}

// use records that an input row, or all of an item's, used one row of a table: row of the table
// gets the gradient of source.
type use struct{ row, source uint32 }

// uses are sorted by ranges of rows, so that each range is added in the order of the batch.
type uses struct {
	all, sorted []use
	begins      []int
}

// useRanges is how many ranges a table is cut into.
const useRanges = 256

func (u *uses) add(row, source int) { u.all = append(u.all, use{uint32(row), uint32(source)}) }

// scatter adds rows of sources, which are as wide as table, to the gradient of table as recorded,
// and clears the uses.
func (r *run) scatter(u *uses, table *parameter, sources []float32) {
	d := table.Columns
	ranges := min(useRanges, table.Rows)
	rangeOf := func(row uint32) int { return int(uint64(row) * uint64(ranges) / uint64(table.Rows)) }
	begins := grow(&u.begins, ranges+1)
	clear(begins)
	for _, use := range u.all {
		begins[rangeOf(use.row)+1]++
	}
	for i := range ranges {
		begins[i+1] += begins[i]
	}
	sorted := grow(&u.sorted, len(u.all))
	for _, use := range u.all {
		at := rangeOf(use.row)
		sorted[begins[at]] = use
		begins[at]++
	}
	r.spread(ranges, func(i int) {
		begin := 0
		if i > 0 {
			begin = begins[i-1]
		}
		for _, use := range sorted[begin:begins[i]] {
			kernel.Add(table.gradient[int(use.row)*d:][:d], sources[int(use.source)*d:][:d])
		}
	})
	u.all = u.all[:0]
}

// inputsBackward takes the gradient of the input rows of a chunk to those of all tables. Without
// layers all rows of a text have one gradient, in items, which has a row for each of the chunk's
// spans.
func (r *run) inputsBackward(rows, items []float32) {
	layered := len(r.layers) > 0
	sources := rows
	if !layered {
		sources = items
	}
	for i, span := range r.spans {
		s := &r.samples[span.item]
		if s.patches != nil {
			continue
		}
		for at, b := range s.text {
			if source, used := sourceOf(layered, s, i, span, at); used {
				r.byteUses.add(int(b), source)
			}
		}
	}
	r.scatter(&r.byteUses, r.bytes, sources)
	if r.grams != nil {
		for i, span := range r.spans {
			s := &r.samples[span.item]
			for at := range s.ends {
				if source, used := sourceOf(layered, s, i, span, at); used {
					for _, gram := range s.gramsOf(at) {
						r.gramUses.add(int(gram), source)
					}
				}
			}
		}
		r.scatter(&r.gramUses, r.grams, sources)
	}
	r.patchesBackward(rows)
}

// sourceOf returns the row of the sources that is the gradient of a text's byte, if it has one:
// without layers a question reads its last byte alone.
func sourceOf(layered bool, s *sample, i int, span span, at int) (source int, used bool) {
	if layered {
		return span.start + at, true
	}
	return i, !s.question || at == span.length-1
}

// patchesBackward is inputsBackward for pictures, clips and recordings.
func (r *run) patchesBackward(rows []float32) {
	d := r.width
	for _, patches := range []*matrix{r.imagePatches, r.audioPatches} {
		if patches == nil {
			continue
		}
		r.patchBlocks, r.patchSpans = r.patchBlocks[:0], r.patchSpans[:0]
		for _, span := range r.spans {
			s := &r.samples[span.item]
			if s.patches != nil && (s.modality == abi.ModalityAudio) == (patches == r.audioPatches) {
				r.patchBlocks = append(r.patchBlocks, block{span.start, span.start + span.length})
				r.patchSpans = append(r.patchSpans, span)
			}
		}
		count := len(r.patchBlocks)
		if count == 0 {
			continue
		}
		left, right := &r.slopes.leftTokens, &r.slopes.rightPatches
		left.reset(count)
		right.reset(count)
		r.spread(count, func(i int) {
			span := r.patchSpans[i]
			left.transpose(i, rows[span.start*d:][:span.length*d], d, span.length)
			right.pack(i, r.samples[span.item].patches, patches.Columns, span.length)
		})
		r.spread.addOuters(r.patchBlocks, outer{patches.parameter, left, right})
		if patches == r.imagePatches {
			r.placesBackward(rows)
		}
	}
}

// placesBackward adds the gradients of a token's position in its picture and of its frame in the
// clip.
func (r *run) placesBackward(rows []float32) {
	d, inPicture := r.width, r.config.Image.Tokens()
	r.spread(inPicture, func(place int) {
		gradient := r.imagePositions.gradient[place*d:][:d]
		for _, span := range r.patchSpans {
			for i := place; i < span.length; i += inPicture {
				kernel.Add(gradient, rows[(span.start+i)*d:][:d])
			}
		}
	})
	if r.videoTimes == nil {
		return
	}
	r.spread(r.videoTimes.Rows, func(frame int) {
		gradient := r.videoTimes.gradient[frame*d:][:d]
		for _, span := range r.patchSpans {
			if r.samples[span.item].modality != abi.ModalityVideo {
				continue
			}
			for i := frame * inPicture; i < (frame+1)*inPicture; i++ {
				kernel.Add(gradient, rows[(span.start+i)*d:][:d])
			}
		}
	})
}
