package folder

import (
	"fmt"
	"slices"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// isUForm reports whether a configuration is one of UForm 3, which has no model_type of its own.
func isUForm(c *object) bool {
	nested := c.has("text_encoder") || c.has("image_encoder")
	return nested && !c.has("model_type") || c.has("dim") && c.has("embedding_dim") && c.has("num_layers")
}

// uform reads the text tower of UForm 3.
func (b *builder) uform() (err error) {
	c := b.config
	if c.has("text_encoder") {
		c = c.object("text_encoder")
	} else if c.has("image_encoder") || c.has("patch_size") {
		return unsupported("%s: no text_encoder", c.file)
	}
	s := shape{
		vocabulary: c.count("vocab_size", 0), width: c.count("dim", 0), layers: c.count("num_layers", 0), heads: c.count("num_heads", 0),
		positions: c.count("max_position_embeddings", 77),
	}
	s.hidden = 4 * s.width
	columns := c.count("embedding_dim", 0)
	if err := s.check(c); err != nil {
		return err
	}
	t := &tower{config: trunk.Config{
		Width: s.width, Heads: s.heads, Hidden: s.hidden, Norm: trunk.LayerNorm, Epsilon: 1e-12, NormAfter: true, Activation: trunk.GELU,
	}}
	switch kind := c.text("model_type", ""); kind {
	case "bert":
	case "roberta":
		pad := c.size("padding_idx", 1)
		t.first, t.padded, t.pad = pad+1, true, int32(pad)
	default:
		return unsupported("%s: %smodel_type %s", c.file, c.within, shortened([]byte(kind)))
	}
	p := &pooling{includePrompt: true, modes: []poolingMode{poolMean}}
	if c.text("pooling", "cls") == "cls" {
		p.modes[0] = poolFirst
	}
	// Layers of texts and pictures together have no part in the embedding of a text.
	skipped := c.sizes("multimodal_layers_ids")
	slices.Sort(skipped)
	if err := c.err(); err != nil {
		return err
	}
	file, prefix := "text_encoder.safetensors", ""
	if !b.at.has(file) {
		file, prefix = "model.safetensors", "text_encoder."
	}
	if b.weights, err = openWeights(b.at, file); err != nil {
		return err
	}
	l, w := b.loader, b.weights
	w.strip("word_embeddings.weight", "", prefix)
	t.words = l.table(w, "word_embeddings.weight", floats, s.vocabulary, s.width)
	t.positions = l.table(w, "position_embeddings.weight", floats, s.positions, s.width)
	t.inputNorm = l.norm(w, "layer_norm", s.width, true)
	for i := 0; i < s.layers && l.err == nil; i++ {
		if _, skips := slices.BinarySearch(skipped, i); skips {
			continue
		}
		at := w.with(fmt.Sprintf("blocks.%d.", i))
		t.layers = append(t.layers, trunk.Layer{
			Query:           l.linear(at, "attention.query", s.width, s.width, true),
			Key:             l.linear(at, "attention.key", s.width, s.width, true),
			Value:           l.linear(at, "attention.value", s.width, s.width, true),
			Output:          l.linear(at, "attention.out", s.width, s.width, true),
			AttentionNorm:   l.norm(at, "norm_attn", s.width, true),
			Up:              l.linear(at, "mlp.hidden_layer", s.hidden, s.width, true),
			Down:            l.linear(at, "mlp.output_layer", s.width, s.hidden, true),
			FeedforwardNorm: l.norm(at, "norm_mlp", s.width, true),
		})
	}
	if err := b.finishTower(t, s.positions-t.first); err != nil {
		return err
	}
	b.pool(p)
	b.add(step{kind: stepDense, outputs: columns, linear: l.linear(w.exactly(), "embedding_projection", columns, s.width, false)})
	b.model.tokens.losesEnd = true
	if l.err != nil || !b.config.has("image_encoder") {
		return l.err
	}
	return b.uformVision(columns)
}
