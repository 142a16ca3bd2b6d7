package folder

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// modernbert reads layers of which some see a window only, with rotary positions and a gate.
func (b *builder) modernbert() (err error) {
	c := b.config
	s := shape{
		vocabulary: c.count("vocab_size", 50368), width: c.count("hidden_size", 768), layers: c.count("num_hidden_layers", 22),
		heads: c.count("num_attention_heads", 12), hidden: c.count("intermediate_size", 1152), positions: c.count("max_position_embeddings", 8192),
	}
	if err := ownCode(c); err != nil {
		return err
	}
	if err := s.check(c); err != nil {
		return err
	}
	t := &tower{config: trunk.Config{
		Width: s.width, Heads: s.heads, Hidden: s.hidden, Norm: trunk.LayerNorm, Epsilon: c.number("norm_eps", 1e-5),
	}}
	if t.config.Activation, err = activation(c, "hidden_activation", "gelu"); err != nil {
		return err
	}
	isGlobal, err := modernbertGlobals(c, s.layers)
	if err != nil {
		return err
	}
	if c.has("rope_scaling") {
		return unsupported("%s: rope_scaling", c.file)
	}
	globalBase := c.number("global_rope_theta", 160000)
	localBase := 10000.0
	if value, there := c.members["local_rope_theta"]; there && string(value) == "null" {
		localBase = globalBase
	}
	localBase = c.number("local_rope_theta", localBase)
	rope := c.object("rope_parameters")
	if globalBase, err = ropeBase(rope.object("full_attention"), globalBase); err != nil {
		return err
	}
	if localBase, err = ropeBase(rope.object("sliding_attention"), localBase); err != nil {
		return err
	}
	window := c.size("local_attention", 128) / 2
	if window == 0 {
		return unsupported("%s: local_attention %d", c.file, c.size("local_attention", 128))
	}
	normBias, attentionBias, feedBias := c.flag("norm_bias", false), c.flag("attention_bias", false), c.flag("mlp_bias", false)
	if b.weights, err = b.open(b.at); err != nil {
		return err
	}
	l, w := b.loader, b.weights
	w.strip("embeddings.tok_embeddings.weight", "", "model.", "0.auto_model.", "0.auto_model.model.")
	t.words = l.table(w, "embeddings.tok_embeddings.weight", floats, s.vocabulary, s.width)
	t.inputNorm = l.norm(w, "embeddings.norm", s.width, normBias)
	for i := 0; i < s.layers && l.err == nil; i++ {
		at := w.with(fmt.Sprintf("layers.%d.", i))
		layer := trunk.Layer{RotaryBase: globalBase}
		if !isGlobal(i) {
			layer.RotaryBase, layer.Window = localBase, window
		}
		if i > 0 {
			layer.AttentionNorm = l.norm(at, "attn_norm", s.width, normBias)
		}
		layer.Query, layer.Key, layer.Value = l.joined(at, "attn.Wqkv", s.width, attentionBias)
		layer.Output = l.linear(at, "attn.Wo", s.width, s.width, attentionBias)
		layer.FeedforwardNorm = l.norm(at, "mlp_norm", s.width, normBias)
		// The activation is of the first half.
		layer.Gate = l.part(at, "mlp.Wi", span{0, s.hidden}, 2*s.hidden, s.width, feedBias)
		layer.Up = l.part(at, "mlp.Wi", span{s.hidden, 2 * s.hidden}, 2*s.hidden, s.width, feedBias)
		layer.Down = l.linear(at, "mlp.Wo", s.width, s.hidden, feedBias)
		t.layers = append(t.layers, layer)
	}
	t.lastNorm = l.norm(w, "final_norm", s.width, normBias)
	return b.finishTower(t, s.positions)
}

// modernbertGlobals returns which layers see the whole text.
func modernbertGlobals(c *object, layers int) (func(i int) bool, error) {
	every := c.size("global_attn_every_n_layers", 3)
	kinds := c.list("layer_types")
	if err := c.err(); err != nil {
		return nil, err
	}
	if kinds == nil {
		if every == 0 {
			return nil, malformed("%s: global_attn_every_n_layers is 0", c.file)
		}
		return func(i int) bool { return i%every == 0 }, nil
	}
	if len(kinds) != layers {
		return nil, malformed("%s: %d layer_types for %d layers", c.file, len(kinds), layers)
	}
	for _, kind := range kinds {
		if kind != "full_attention" && kind != "sliding_attention" {
			return nil, unsupported("%s: layer_types: %s", c.file, shortened([]byte(kind)))
		}
	}
	return func(i int) bool { return kinds[i] == "full_attention" }, nil
}
