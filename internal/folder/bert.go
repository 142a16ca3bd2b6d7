package folder

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// bertNames are what the tensors of a layer are called.
type bertNames struct {
	layer                             string // with a place for its number
	query, key, value, output         string
	attentionNorm, up, down, feedNorm string
	types                             bool // whether tokens have types
}

var bertLike = bertNames{
	layer: "encoder.layer.%d.", query: "attention.self.query", key: "attention.self.key", value: "attention.self.value",
	output: "attention.output.dense", attentionNorm: "attention.output.LayerNorm",
	up: "intermediate.dense", down: "output.dense", feedNorm: "output.LayerNorm", types: true,
}

// oldNames are how PyTorch's BERT called gains and biases of norms at first.
var oldNames = [][2]string{{"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}}

// bertShape reads the sizes of a configuration like BERT's.
func bertShape(config *object, vocabulary int) (shape, error) {
	s := shape{
		vocabulary: config.count("vocab_size", vocabulary),
		width:      config.count("hidden_size", 768),
		layers:     config.count("num_hidden_layers", 12),
		heads:      config.count("num_attention_heads", 12),
		hidden:     config.count("intermediate_size", 3072),
		positions:  config.count("max_position_embeddings", 512),
	}
	if kind := config.text("position_embedding_type", "absolute"); kind != "absolute" {
		return s, unsupported("%s: position_embedding_type %s", config.file, shortened([]byte(kind)))
	}
	if err := ownCode(config); err != nil {
		return s, err
	}
	return s, s.check(config)
}

func (b *builder) bert() error {
	s, err := bertShape(b.config, 30522)
	if err != nil {
		return err
	}
	t := &tower{}
	return b.bertLike(t, &s, bertLike, "bert.")
}

// roberta is bert with positions that begin after the pad token's id, and leave out pad tokens.
func (b *builder) roberta() error {
	s, err := bertShape(b.config, 50265)
	if err != nil {
		return err
	}
	pad := b.config.size("pad_token_id", 1)
	t := &tower{first: pad + 1, padded: true, pad: int32(pad)}
	return b.bertLike(t, &s, bertLike, "roberta.")
}

// mpnet is roberta without types of tokens, and with a bias of the scores that depends on the
// distance.
func (b *builder) mpnet() error {
	s, err := bertShape(b.config, 30527)
	if err != nil {
		return err
	}
	const buckets = 32
	if count := b.config.size("relative_attention_num_buckets", buckets); count != buckets {
		return unsupported("%s: relative_attention_num_buckets %d", b.config.file, count)
	}
	names := bertLike
	names.query, names.key, names.value, names.output = "attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o"
	names.attentionNorm, names.types = "attention.LayerNorm", false
	// The model has pad at 1, whatever its configuration says.
	t := &tower{first: 2, padded: true, pad: 1}
	if err := b.bertLike(t, &s, names, "mpnet."); err != nil {
		return err
	}
	t.config.RelativeBias = b.loader.values(b.weights, "encoder.relative_attention_bias.weight", floats, buckets, s.heads)
	return b.loader.err
}

func (b *builder) distilbert() error {
	c := b.config
	s := shape{
		vocabulary: c.count("vocab_size", 30522), width: c.count("dim", 768), layers: c.count("n_layers", 6), heads: c.count("n_heads", 12),
		hidden: c.count("hidden_dim", 3072), positions: c.count("max_position_embeddings", 512),
	}
	if err := ownCode(c); err != nil {
		return err
	}
	if err := s.check(c); err != nil {
		return err
	}
	return b.bertLike(&tower{}, &s, bertNames{
		layer: "transformer.layer.%d.", query: "attention.q_lin", key: "attention.k_lin", value: "attention.v_lin", output: "attention.out_lin",
		attentionNorm: "sa_layer_norm", up: "ffn.lin1", down: "ffn.lin2", feedNorm: "output_layer_norm",
	}, "distilbert.")
}

// bertLike reads a tower whose norms stand after each part.
func (b *builder) bertLike(t *tower, s *shape, names bertNames, prefix string) (err error) {
	c := b.config
	key, epsilon := "hidden_act", 1e-12
	if b.model.details.Architecture == "distilbert" {
		key = "activation"
	} else {
		epsilon = c.number("layer_norm_eps", epsilon)
	}
	t.config = trunk.Config{Width: s.width, Heads: s.heads, Hidden: s.hidden, Norm: trunk.LayerNorm, Epsilon: epsilon, NormAfter: true}
	if t.config.Activation, err = activation(c, key, "gelu"); err != nil {
		return err
	}
	if b.weights, err = b.open(b.at); err != nil {
		return err
	}
	l, w := b.loader, b.weights
	w.renamed = oldNames
	w.strip("embeddings.word_embeddings.weight", "", prefix, "0.auto_model.", "0.auto_model."+prefix)
	t.words = l.table(w, "embeddings.word_embeddings.weight", floats, s.vocabulary, s.width)
	t.positions = l.table(w, "embeddings.position_embeddings.weight", floats, s.positions, s.width)
	if types := c.size("type_vocab_size", 2); types > 0 && names.types {
		t.kind = l.firstRow(w, "embeddings.token_type_embeddings.weight", types, s.width)
	}
	t.inputNorm = l.norm(w, "embeddings.LayerNorm", s.width, true)
	for i := 0; i < s.layers && l.err == nil; i++ {
		at := w.with(fmt.Sprintf(names.layer, i))
		t.layers = append(t.layers, trunk.Layer{
			Query:           l.linear(at, names.query, s.width, s.width, true),
			Key:             l.linear(at, names.key, s.width, s.width, true),
			Value:           l.linear(at, names.value, s.width, s.width, true),
			Output:          l.linear(at, names.output, s.width, s.width, true),
			AttentionNorm:   l.norm(at, names.attentionNorm, s.width, true),
			Up:              l.linear(at, names.up, s.hidden, s.width, true),
			Down:            l.linear(at, names.down, s.width, s.hidden, true),
			FeedforwardNorm: l.norm(at, names.feedNorm, s.width, true),
		})
	}
	return b.finishTower(t, s.positions-t.first)
}
