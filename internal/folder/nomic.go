package folder

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// nomicNames are what the tensors of a layer are called: as Nomic names them, or as the
// Transformers library does.
type nomicNames struct {
	inputNorm, layer                  string
	joined                            bool // queries, keys and values are one matrix
	output, attentionNorm, feedNorm   string
	up, gate, down                    string
	alone                             string // instead of up where there is no gate
	queries, keys, values, everything string
}

var (
	nomicOwn = nomicNames{
		inputNorm: "emb_ln", layer: "encoder.layers.%d.", joined: true, everything: "attn.Wqkv", output: "attn.out_proj",
		attentionNorm: "norm1", feedNorm: "norm2", up: "mlp.fc11", gate: "mlp.fc12", down: "mlp.fc2", alone: "mlp.fc1",
	}
	nomicLibrary = nomicNames{
		inputNorm: "embeddings.LayerNorm", layer: "layers.%d.", queries: "self_attn.q_proj", keys: "self_attn.k_proj",
		values: "self_attn.v_proj", output: "self_attn.o_proj", attentionNorm: "post_attention_layernorm",
		feedNorm: "post_mlp_layernorm", up: "mlp.up_proj", gate: "mlp.gate_proj", down: "mlp.down_proj",
	}
)

// nomic reads a BERT with rotary positions and a gate.
func (b *builder) nomic() (err error) {
	c := b.config
	native := c.has("hidden_size") && !c.has("n_embd")
	s := shape{
		vocabulary: c.count("vocab_size", 30528),
		width:      c.count(c.first("n_embd", "hidden_size"), 768),
		layers:     c.count(c.first("n_layer", "num_hidden_layers"), 12),
		heads:      c.count(c.first("n_head", "num_attention_heads"), 12),
		hidden:     c.count(c.first("n_inner", "intermediate_size"), 3072),
		positions:  c.count(c.first("n_positions", "max_position_embeddings"), 2048),
	}
	if multiple := c.size("pad_vocab_size_multiple", 1); multiple > 1 {
		s.vocabulary = (s.vocabulary + multiple - 1) / multiple * multiple
	}
	if err := s.check(c); err != nil {
		return err
	}
	for key, usual := range map[string]bool{
		"prenorm": false, "use_rms_norm": false, "parallel_block": false, "causal": false, "rotary_emb_interleaved": false,
		"scale_attn_by_inverse_layer_idx": false, "scale_attn_weights": true,
	} {
		if c.flag(key, usual) != usual {
			return unsupported("%s: %s %v", c.file, key, !usual)
		}
	}
	if c.size("num_experts", 0) > 0 && c.size("moe_every_n_layers", 0) > 0 {
		return unsupported("%s: moe_every_n_layers %d of num_experts %d: a mixture of experts is not supported; "+
			"nomic-embed-text v1 and v1.5 are, which have none", c.file, c.size("moe_every_n_layers", 0), c.size("num_experts", 0))
	}
	if c.has("rotary_emb_scale_base") {
		return unsupported("%s: rotary_emb_scale_base", c.file)
	}
	base := 1000.0
	if native {
		if base, err = ropeBase(c.object("rope_parameters"), base); err != nil {
			return err
		}
		base = c.positive("rope_theta", base)
	} else {
		if fraction := c.number("rotary_emb_fraction", 0); fraction != 1 {
			return unsupported("%s: rotary_emb_fraction %v", c.file, fraction)
		}
		base = c.positive("rotary_emb_base", 10000)
	}
	t := &tower{config: trunk.Config{Width: s.width, Heads: s.heads, Norm: trunk.LayerNorm, NormAfter: true}}
	if !native && c.has("rotary_scaling_factor") {
		t.scaling = &ropeScaling{base: base, factor: c.number("rotary_scaling_factor", 1), trained: c.size("max_trained_positions", 2048)}
		if t.scaling.factor < 1 || s.width/s.heads < 4 || t.scaling.trained == 0 {
			return unsupported("%s: rotary_scaling_factor %v of %d max_trained_positions, for heads of %d",
				c.file, t.scaling.factor, t.scaling.trained, s.width/s.heads)
		}
	}
	t.config.Epsilon = c.number(c.first("layer_norm_epsilon", "layer_norm_eps"), 1e-12)
	if !native {
		t.config.Epsilon = c.number(c.first("layer_norm_epsilon", "layer_norm_eps"), 1e-5)
	}
	gated := true
	function := c.text(c.first("activation_function", "hidden_act"), "silu")
	switch {
	case function == "swiglu" || native && function == "silu":
		t.config.Activation = trunk.SiLU
	case function == "geglu":
		t.config.Activation = trunk.GELU
	case !native && (function == "gelu" || function == "gelu_new" || function == "gelu_fast" || function == "relu"):
		gated = false
		t.config.Activation = activations[function]
	default:
		return unsupported("%s: activation_function %s", c.file, shortened([]byte(function)))
	}
	if b.weights, err = b.open(b.at); err != nil {
		return err
	}
	l, w := b.loader, b.weights
	w.strip("embeddings.word_embeddings.weight", "", "bert.", "nomic_bert.", "model.", "0.auto_model.")
	names := nomicOwn
	if w.has("layers.0.self_attn.q_proj.weight") {
		names = nomicLibrary
	}
	t.words = l.table(w, "embeddings.word_embeddings.weight", floats, s.vocabulary, s.width)
	if types := c.size("type_vocab_size", 2); types > 0 {
		t.kind = l.firstRow(w, "embeddings.token_type_embeddings.weight", types, s.width)
	}
	t.inputNorm = l.norm(w, names.inputNorm, s.width, true)
	attentionBias := !native && c.flag("qkv_proj_bias", true)
	upBias, downBias := !native && c.flag("mlp_fc1_bias", true), !native && c.flag("mlp_fc2_bias", true)
	if gated && !native {
		// Nomic's code makes the inner width of a gated part a multiple of 256.
		const multiple = 256
		if rounded := (s.hidden + multiple - 1) / multiple * multiple; w.rows(fmt.Sprintf(names.layer, 0)+names.up+".weight") == rounded {
			s.hidden = rounded
		}
	}
	t.config.Hidden = s.hidden
	for i := 0; i < s.layers && l.err == nil; i++ {
		at := w.with(fmt.Sprintf(names.layer, i))
		layer := trunk.Layer{RotaryBase: base}
		if names.joined {
			layer.Query, layer.Key, layer.Value = l.joined(at, names.everything, s.width, attentionBias)
		} else {
			layer.Query = l.linear(at, names.queries, s.width, s.width, attentionBias)
			layer.Key = l.linear(at, names.keys, s.width, s.width, attentionBias)
			layer.Value = l.linear(at, names.values, s.width, s.width, attentionBias)
		}
		layer.Output = l.linear(at, names.output, s.width, s.width, attentionBias)
		layer.AttentionNorm = l.norm(at, names.attentionNorm, s.width, true)
		if gated {
			layer.Up = l.linear(at, names.up, s.hidden, s.width, upBias)
			layer.Gate = l.linear(at, names.gate, s.hidden, s.width, upBias)
		} else {
			layer.Up = l.linear(at, names.alone, s.hidden, s.width, upBias)
		}
		layer.Down = l.linear(at, names.down, s.width, s.hidden, downBias)
		layer.FeedforwardNorm = l.norm(at, names.feedNorm, s.width, true)
		t.layers = append(t.layers, layer)
	}
	return b.finishTower(t, s.positions)
}

// ropeBase reads the parameters of rotary positions, as recent files write them.
func ropeBase(config *object, otherwise float64) (float64, error) {
	if kind := config.text(config.first("rope_type", "type"), "default"); kind != "default" {
		return 0, unsupported("%s: %srope_type %s", config.file, config.within, shortened([]byte(kind)))
	}
	if fraction := config.number("partial_rotary_factor", 1); fraction != 1 {
		return 0, unsupported("%s: %spartial_rotary_factor %v", config.file, config.within, fraction)
	}
	base := config.positive("rope_theta", otherwise)
	return base, config.err()
}

// joined returns queries, keys and values, which are one matrix in this order.
func (l *loader) joined(w *weights, name string, width int, biased bool) (query, key, value trunk.Linear) {
	query = l.part(w, name, span{0, width}, 3*width, width, biased)
	key = l.part(w, name, span{width, 2 * width}, 3*width, width, biased)
	value = l.part(w, name, span{2 * width, 3 * width}, 3*width, width, biased)
	return query, key, value
}
