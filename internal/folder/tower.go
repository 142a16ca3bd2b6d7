package folder

import (
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/tokenizer"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// tower makes rows of the ids of a text: input rows, layers, and the last norm.
type tower struct {
	config trunk.Config
	layers []trunk.Layer
	trunk  *trunk.Trunk
	// scaling is set if long texts have rotary positions of their own.
	scaling *ropeScaling

	words *table
	// positions are added to the words, nil for none. The first token has the position first, and
	// the others follow; if padded, a token with the id pad has the position pad instead, and does
	// not count.
	positions *table
	first     int
	padded    bool
	pad       int32
	// kind is the row of the only type of tokens, nil for none.
	kind []float32

	inputNorm, lastNorm trunk.Norm // without a gain the identity
}

// finishTower sets the tower of the model, which takes texts of so many tokens.
func (b *builder) finishTower(t *tower, positions int) error {
	b.model.tower, b.width = t, t.config.Width
	if err := b.config.err(); err != nil {
		return err
	}
	if b.loader.err != nil {
		return b.loader.err
	}
	if positions <= 0 {
		return malformed("%s: the pad token's id %d leaves no position", b.config.file, t.pad)
	}
	b.then = append(b.then, func(tokens *tokenizer.Tokenizer) error { return b.textTokens(tokens, positions) })
	return nil
}

// norm writes the norm of a row to dst, which may be the row.
func (t *tower) norm(dst, row []float32, norm *trunk.Norm) {
	norm.Apply(dst, row, t.config.Norm, t.config.Epsilon)
}

// readInputs writes the input rows of a text, of width scalars each, to rows. spare has room for
// one.
func (t *tower) readInputs(rows []float32, ids []int32, spare []float32) {
	width := t.config.Width
	next := t.first
	for i, id := range ids {
		row := rows[i*width : (i+1)*width]
		t.words.read(row, int(id))
		if t.kind != nil {
			kernel.Add(row, t.kind)
		}
		if t.positions != nil {
			at := next
			if t.padded && id == t.pad {
				at = int(t.pad)
			} else {
				next++
			}
			t.positions.add(row, spare, at)
		}
		t.norm(row, row, &t.inputNorm)
	}
}

// packedBytes returns the memory of the packed weights of layers.
func packedBytes(layers []trunk.Layer) (bytes int) {
	for i := range layers {
		l := &layers[i]
		for _, linear := range []*trunk.Linear{&l.Query, &l.Key, &l.Value, &l.Output, &l.Up, &l.Gate, &l.Down} {
			bytes += linear.Weight.Size()
		}
	}
	return bytes
}
