package folder

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// subConfig returns the configuration of a tower: an object of the folder's, or, where the folder
// is of one tower, all of it. An older name, where it is set, overrides the members of the newer
// one.
func (b *builder) subConfig(tower, whole string) *object {
	if b.model.details.Architecture != whole {
		return b.config
	}
	sub := b.config.object(tower)
	if older := b.config.object(tower + "_dict"); len(older.members) > 0 {
		older.within = sub.within
		return older
	}
	return sub
}

// clip reads the text tower of CLIP: a causal one, of which the row of the end token is taken.
func (b *builder) clip() (err error) {
	if err := ownCode(b.config); err != nil {
		return err
	}
	c := b.subConfig("text_config", "clip")
	s := shape{
		vocabulary: c.count("vocab_size", 49408), width: c.count("hidden_size", 512), layers: c.count("num_hidden_layers", 12),
		heads: c.count("num_attention_heads", 8), hidden: c.count("intermediate_size", 2048), positions: c.count("max_position_embeddings", 77),
	}
	if err := s.check(c); err != nil {
		return err
	}
	t := &tower{config: trunk.Config{
		Width: s.width, Heads: s.heads, Hidden: s.hidden, Norm: trunk.LayerNorm, Epsilon: c.number("layer_norm_eps", 1e-5), Causal: true,
	}}
	if t.config.Activation, err = activation(c, "hidden_act", "quick_gelu"); err != nil {
		return err
	}
	if err := b.clipText(t, &s); err != nil {
		return err
	}
	// Files written before the end token's id was right have 2, and code goes by the largest id.
	end := c.size("eos_token_id", 49407)
	p := &pooling{modes: []poolingMode{poolEnd}, includePrompt: true, end: int32(end)}
	if end == 2 {
		p.modes[0] = poolLargest
	}
	if err := c.err(); err != nil {
		return err
	}
	if err := b.finishTower(t, s.positions); err != nil {
		return err
	}
	b.pool(p)
	l, w := b.loader, b.weights
	w.prefix = ""
	if !w.has("text_projection.weight") && b.model.details.Architecture == "clip_text_model" {
		return nil // a tower without a projection
	}
	columns := c.count("projection_dim", 512)
	if c != b.config {
		columns = b.config.count("projection_dim", 512)
	}
	if err := c.err(); err != nil {
		return err
	}
	b.add(step{kind: stepDense, outputs: columns, linear: l.linear(w.exactly(), "text_projection", columns, s.width, false)})
	b.add(unitLength)
	if l.err != nil || b.model.details.Architecture != "clip" {
		return l.err
	}
	return b.clipVision(columns)
}

// clipLayers reads the layers of a tower of CLIP or SigLIP.
func (l *loader) clipLayers(w *weights, s *shape) (layers []trunk.Layer) {
	for i := 0; i < s.layers && l.err == nil; i++ {
		at := w.with(fmt.Sprintf("encoder.layers.%d.", i))
		layers = append(layers, trunk.Layer{
			AttentionNorm:   l.norm(at, "layer_norm1", s.width, true),
			Query:           l.linear(at, "self_attn.q_proj", s.width, s.width, true),
			Key:             l.linear(at, "self_attn.k_proj", s.width, s.width, true),
			Value:           l.linear(at.exactly(), "self_attn.v_proj", s.width, s.width, true),
			Output:          l.linear(at, "self_attn.out_proj", s.width, s.width, true),
			FeedforwardNorm: l.norm(at, "layer_norm2", s.width, true),
			Up:              l.linear(at, "mlp.fc1", s.hidden, s.width, true),
			Down:            l.linear(at, "mlp.fc2", s.width, s.hidden, true),
		})
	}
	return layers
}

// clipText reads the tensors that the towers of texts of CLIP and SigLIP have alike.
func (b *builder) clipText(t *tower, s *shape) (err error) {
	if b.weights, err = b.open(b.at); err != nil {
		return err
	}
	l, w := b.loader, b.weights
	w.strip("embeddings.token_embedding.weight", "text_model.", "", "model.text_model.", "0.auto_model.text_model.")
	t.words = l.table(w, "embeddings.token_embedding.weight", floats, s.vocabulary, s.width)
	t.positions = l.table(w, "embeddings.position_embedding.weight", floats, s.positions, s.width)
	t.layers = l.clipLayers(w, s)
	t.lastNorm = l.norm(w, "final_layer_norm", s.width, true)
	return l.err
}

// siglip reads the text tower of SigLIP. Every text is filled up to the same length, and the tokens
// that fill it take part like others; the last row is taken.
func (b *builder) siglip() (err error) {
	if err := ownCode(b.config); err != nil {
		return err
	}
	c := b.subConfig("text_config", "siglip")
	s := shape{
		vocabulary: c.count("vocab_size", 32000), width: c.count("hidden_size", 768), layers: c.count("num_hidden_layers", 12),
		heads: c.count("num_attention_heads", 12), hidden: c.count("intermediate_size", 3072), positions: c.count("max_position_embeddings", 64),
	}
	if err := s.check(c); err != nil {
		return err
	}
	t := &tower{config: trunk.Config{
		Width: s.width, Heads: s.heads, Hidden: s.hidden, Norm: trunk.LayerNorm, Epsilon: c.number("layer_norm_eps", 1e-6),
	}}
	if t.config.Activation, err = activation(c, "hidden_act", "gelu_pytorch_tanh"); err != nil {
		return err
	}
	columns := c.count("projection_size", s.width)
	if err := b.clipText(t, &s); err != nil {
		return err
	}
	if err := b.finishTower(t, s.positions); err != nil {
		return err
	}
	b.pool(&pooling{modes: []poolingMode{poolLast}, includePrompt: true})
	b.add(step{kind: stepDense, outputs: columns, linear: b.loader.linear(b.weights.exactly(), "head", columns, s.width, true)})
	b.add(unitLength)
	b.then = append(b.then, func(*tokenizer.Tokenizer) error { return b.fillUp(c) })
	if b.loader.err != nil || b.model.details.Architecture != "siglip" {
		return b.loader.err
	}
	return b.siglipVision(columns)
}
