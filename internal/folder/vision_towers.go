package folder

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/media/preprocess"
	"github.com/unum-cloud/uform-go/internal/tokenizer"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// visionShape reads the sizes of a tower of pictures, and how they are prepared. It returns nil
// where the folder does not say: then the model is one of texts.
func (b *builder) visionShape(c *object, side, patch int, crops bool) (*vision, *shape, error) {
	s := &shape{
		vocabulary: 1, width: c.count("hidden_size", 768), layers: c.count("num_hidden_layers", 12),
		heads: c.count("num_attention_heads", 12), hidden: c.count("intermediate_size", 3072), positions: 1,
	}
	if err := s.check(c); err != nil {
		return nil, nil, err
	}
	if channels := c.size("num_channels", 3); channels != 3 {
		return nil, nil, unsupported("%s: %snum_channels %d", c.file, c.within, channels)
	}
	side, patch = c.count("image_size", side), c.count("patch_size", patch)
	if err := checkSides(c, side, patch); err != nil {
		return nil, nil, err
	}
	p, err := b.preprocessing(side, patch, crops)
	if p == nil || err != nil {
		return nil, nil, err
	}
	s.positions = p.Count()
	return &vision{preprocessing: *p, config: trunk.Config{Width: s.width, Heads: s.heads, Hidden: s.hidden, Norm: trunk.LayerNorm}}, s, nil
}

func checkSides(c *object, side, patch int) error {
	switch {
	case c.err() != nil:
		return c.err()
	case side > mostSide:
		return unsupported("%s: %simage_size %d, over %d", c.file, c.within, side, mostSide)
	case patch == 0 || patch > side:
		return malformed("%s: %spatch_size %d in pictures of %d", c.file, c.within, patch, side)
	}
	return nil
}

// clipPictures reads a folder of CLIP's tower of pictures alone, with its projection where it has
// one.
func (b *builder) clipPictures() (err error) {
	if b.weights, err = b.open(b.at); err != nil {
		return err
	}
	columns := 0
	if b.weights.has("visual_projection.weight") {
		columns = b.config.count("projection_dim", 512)
	}
	return b.picturesAlone(columns, b.clipVision)
}

// siglipPictures reads a folder of SigLIP's tower of pictures alone.
func (b *builder) siglipPictures() (err error) {
	if b.weights, err = b.open(b.at); err != nil {
		return err
	}
	return b.picturesAlone(b.config.count("hidden_size", 768), b.siglipVision)
}

// picturesAlone reads a tower of pictures by a function that takes the columns of embeddings, 0 for
// the pooled row as it is. Others have unit length.
func (b *builder) picturesAlone(columns int, read func(columns int) error) error {
	if err := ownCode(b.config); err != nil {
		return err
	}
	if b.listed {
		return unsupported("modules.json: modules after a model of pictures alone")
	}
	if err := read(columns); err != nil {
		return err
	}
	v := b.model.vision
	if v == nil {
		return unreadable(b.at.name("preprocessor_config.json"), errNoPreprocessing)
	}
	b.width, b.columns = v.config.Width, v.config.Width
	if columns > 0 {
		b.columns = columns
		length := unitLength
		length.inputs, length.outputs = columns, columns
		v.steps = append(v.steps, length)
	}
	return nil
}

// clipVision reads CLIP's tower of pictures, whose embeddings have so many columns: 0 for a tower
// without a projection.
func (b *builder) clipVision(columns int) (err error) {
	c := b.subConfig("vision_config", "clip")
	v, s, err := b.visionShape(c, 224, 32, true)
	if v == nil || err != nil {
		return err
	}
	v.config.Epsilon, v.normsPooled = c.number("layer_norm_eps", 1e-5), true
	if v.config.Activation, err = activation(c, "hidden_act", "quick_gelu"); err != nil {
		return err
	}
	l, w := b.loader, b.visionWeights()
	v.patches = l.convolution(w.exactly(), "embeddings.patch_embedding", s.width, v.preprocessing.Patch, false)
	class := l.vector(w, "embeddings.class_embedding", s.width)
	positions := l.values(w, "embeddings.position_embedding.weight", floats, 1+s.positions, s.width)
	if l.err != nil {
		return l.err
	}
	v.positions = positions[s.width:]
	v.inputNorm = l.norm(w, "pre_layrnorm", s.width, true) // as the files spell it
	v.layers = l.clipLayers(w, s)
	v.lastNorm = l.norm(w, "post_layernorm", s.width, true)
	if columns > 0 {
		whole := *b.weights
		whole.prefix = ""
		projection := step{kind: stepDense, inputs: s.width, outputs: columns}
		projection.linear = l.linear(whole.exactly(), "visual_projection", columns, s.width, false)
		v.steps, v.projected = []step{projection}, true
	}
	b.model.vision = v
	// The class token has a position too. Elements are there once all tensors are read.
	v.front = class
	b.then = append(b.then, func(*tokenizer.Tokenizer) error {
		kernel.Add(class, positions[:s.width])
		return nil
	})
	return l.err
}

// visionWeights returns the tensors of the tower of pictures in the file of both.
func (b *builder) visionWeights() *weights {
	w := *b.weights
	w.prefix = ""
	w.strip("embeddings.patch_embedding.weight", "vision_model.", "", "model.vision_model.", "0.auto_model.vision_model.")
	return &w
}

// siglipVision reads SigLIP's tower of pictures. Its head pools all rows by the attention of one
// query; embeddings are as wide as its rows.
func (b *builder) siglipVision(columns int) (err error) {
	c := b.subConfig("vision_config", "siglip")
	v, s, err := b.visionShape(c, 224, 16, false)
	if v == nil || err != nil {
		return err
	}
	if !c.flag("vision_use_head", true) {
		return unsupported("%s: %svision_use_head false", c.file, c.within)
	}
	v.config.Epsilon = c.number("layer_norm_eps", 1e-6)
	if v.config.Activation, err = activation(c, "hidden_act", "gelu_pytorch_tanh"); err != nil {
		return err
	}
	if columns != s.width {
		return malformed("%s: embeddings of pictures have %d columns, and those of texts %d", c.file, s.width, columns)
	}
	l, w := b.loader, b.visionWeights()
	v.patches = l.convolution(w.exactly(), "embeddings.patch_embedding", s.width, v.preprocessing.Patch, true)
	v.positions = l.values(w, "embeddings.position_embedding.weight", floats, s.positions, s.width)
	v.layers = l.clipLayers(w, s)
	v.lastNorm = l.norm(w, "post_layernorm", s.width, true)
	head := w.with("head.")
	head.renamed = [][2]string{{"in_proj.weight", "in_proj_weight"}, {"in_proj.bias", "in_proj_bias"}}
	v.probe = l.values(head, "probe", floats, 1, 1, s.width)
	part := func(w *weights, number int) trunk.Linear {
		return l.part(w, "attention.in_proj", span{number * s.width, (number + 1) * s.width}, 3*s.width, s.width, true)
	}
	v.query = part(head.exactly(), 0)
	v.pools = trunk.Layer{
		Key:             part(head, 1),
		Value:           part(head.exactly(), 2),
		Output:          l.linear(head, "attention.out_proj", s.width, s.width, true),
		FeedforwardNorm: l.norm(head, "layernorm", s.width, true),
		Up:              l.linear(head, "mlp.fc1", s.hidden, s.width, true),
		Down:            l.linear(head, "mlp.fc2", s.width, s.hidden, true),
	}
	b.model.vision = v
	return l.err
}

// uformVision reads the tower of pictures of UForm 3.
func (b *builder) uformVision(columns int) (err error) {
	c := b.config.object("image_encoder")
	s := &shape{vocabulary: 1, width: c.count("dim", 0), layers: c.count("num_layers", 0), heads: c.count("num_heads", 0), positions: 1}
	s.hidden = 4 * s.width
	if err := s.check(c); err != nil {
		return err
	}
	side, patch := c.count("image_size", 0), c.count("patch_size", 0)
	if err := checkSides(c, side, patch); err != nil {
		return err
	}
	if own := c.size("embedding_dim", 0); own != columns {
		return malformed("%s: embeddings of pictures have %d columns, and those of texts %d", c.file, own, columns)
	}
	registers := c.size("num_reg_tokens", 0)
	v := &vision{
		config: trunk.Config{Width: s.width, Heads: s.heads, Hidden: s.hidden, Norm: trunk.LayerNorm, Epsilon: 1e-6, Activation: trunk.GELU},
		mean:   c.text("pooling", "") != "cls",
	}
	p := &v.preprocessing
	p.Preprocessing = preprocess.Preprocessing{Short: side, Filter: preprocess.Bicubic, Side: side, Even: true, Scale: 1 / 255., Patch: patch}
	p.set(c, "normalization_means or normalization_deviations", c.numbers("normalization_means", nil), c.numbers("normalization_deviations", nil))
	if err := c.err(); err != nil {
		return err
	}
	own := *b.weights
	w := &own
	w.prefix = "image_encoder."
	if b.at.has("text_encoder.safetensors") {
		if !b.at.has("image_encoder.safetensors") {
			return nil // the half of texts was fetched
		}
		if w, err = openWeights(b.at, "image_encoder.safetensors"); err != nil {
			return err
		}
	}
	l := b.loader
	v.patches = l.convolution(w.exactly(), "patch_embed", s.width, patch, true)
	v.positions = l.values(w, "pos_embed", floats, 1, p.Count(), s.width)
	class := l.values(w, "cls_token", floats, 1, 1, s.width)
	v.front = class
	if registers > 0 {
		others := l.values(w, "reg_token", floats, 1, registers, s.width)
		if l.err != nil {
			return l.err
		}
		v.front = make([]float32, (1+registers)*s.width)
		b.then = append(b.then, func(*tokenizer.Tokenizer) error {
			copy(v.front[copy(v.front, class):], others)
			return nil
		})
	}
	for i := 0; i < s.layers && l.err == nil; i++ {
		at := w.with(fmt.Sprintf("blocks.%d.", i))
		v.layers = append(v.layers, trunk.Layer{
			AttentionNorm:    l.norm(at, "norm1", s.width, true),
			Query:            l.linear(at, "attn.query", s.width, s.width, true),
			Key:              l.linear(at, "attn.key", s.width, s.width, true),
			Value:            l.linear(at.exactly(), "attn.value", s.width, s.width, true),
			Output:           l.linear(at, "attn.out", s.width, s.width, true),
			AttentionScale:   l.vector(at, "ls1.gamma", s.width),
			FeedforwardNorm:  l.norm(at, "norm2", s.width, true),
			Up:               l.linear(at, "mlp.hidden_layer", s.hidden, s.width, true),
			Down:             l.linear(at, "mlp.output_layer", s.width, s.hidden, true),
			FeedforwardScale: l.vector(at, "ls2.gamma", s.width),
		})
	}
	v.lastNorm = l.norm(w, "norm", s.width, true)
	projection := step{kind: stepDense, inputs: s.width, outputs: columns}
	projection.linear = l.linear(w.exactly(), "embedding_projection", columns, s.width, false)
	v.steps, v.projected = []step{projection}, true
	b.model.vision = v
	return l.err
}
