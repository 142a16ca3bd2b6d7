package folder

import (
	"maps"
	"slices"
	"strings"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// architectures are the model_types that are known, and what reads them.
var architectures = map[string]func(*builder) error{
	"bert":                (*builder).bert,
	"roberta":             (*builder).roberta,
	"camembert":           (*builder).roberta,
	"xlm-roberta":         (*builder).roberta,
	"distilbert":          (*builder).distilbert,
	"mpnet":               (*builder).mpnet,
	"nomic_bert":          (*builder).nomic,
	"modernbert":          (*builder).modernbert,
	"clip":                (*builder).clip,
	"clip_text_model":     (*builder).clip,
	"clip_vision_model":   (*builder).clipPictures,
	"siglip":              (*builder).siglip,
	"siglip_text_model":   (*builder).siglip,
	"siglip_vision_model": (*builder).siglipPictures,
	"model2vec":           (*builder).model2vec,
}

// encoder reads what makes rows of texts: the first module, or the folder where it has none.
func (b *builder) encoder(modules []module) error {
	if b.root.has(wordllamaWeights) {
		return b.wordllama()
	}
	if b.root.has("adapter_config.json") {
		return unsupported("adapter_config.json: an adapter is not a model: merge it into the model it was made for")
	}
	for _, name := range []string{"torch_config.json", "config.json"} {
		config, err := b.at.object(name)
		if err != nil {
			return err
		}
		if config != nil {
			b.config = config
			break
		}
	}
	if b.config != nil && isUForm(b.config) {
		b.model.details.Architecture = "uform"
		return b.uform()
	}
	kind := ""
	if b.config != nil {
		kind = b.config.text("model_type", "")
		if err := b.config.err(); err != nil {
			return err
		}
	}
	b.model.details.Architecture = kind
	if modules != nil && modules[0].kind == "StaticEmbedding" && kind != "model2vec" {
		b.model.details.Architecture = "static"
		return b.readStatic()
	}
	if b.config == nil {
		return unreadable(b.at.name("config.json"), errNoConfig)
	}
	read, known := architectures[kind]
	if !known {
		return unsupported("%s: model_type %s; known are %s", b.config.file, shortened([]byte(kind)),
			strings.Join(slices.Sorted(maps.Keys(architectures)), ", "))
	}
	if err := b.plain(b.config); err != nil {
		return err
	}
	return read(b)
}

// plain refuses what changes the results of any architecture.
func (b *builder) plain(config *object) error {
	for _, key := range []string{"quantization_config", "compression_config"} {
		if config.has(key) {
			return unsupported("%s: %s: weights that were quantized", config.file, key)
		}
	}
	for _, key := range []string{"is_decoder", "add_cross_attention", "is_encoder_decoder", "use_bidirectional_attention"} {
		if config.flag(key, false) {
			return unsupported("%s: %s", config.file, key)
		}
	}
	if heads := config.members["pruned_heads"]; config.has("pruned_heads") && string(heads) != "{}" {
		return unsupported("%s: pruned_heads", config.file)
	}
	return config.err()
}

// ownCode refuses a configuration that names code of its own, which a model_type of the
// Transformers library does not describe.
func ownCode(config *object) error {
	if config.object("auto_map").has("AutoModel") {
		return unsupported("%s: auto_map: the model is code of its own", config.file)
	}
	return config.err()
}

// activations are the functions of feed-forward parts by their names.
var activations = map[string]trunk.Activation{
	"gelu": trunk.GELU, "gelu_python": trunk.GELU,
	"gelu_new": trunk.GELUTanh, "gelu_pytorch_tanh": trunk.GELUTanh, "gelu_fast": trunk.GELUTanh,
	"quick_gelu": trunk.QuickGELU, "silu": trunk.SiLU, "swish": trunk.SiLU, "relu": trunk.ReLU,
}

func activation(config *object, key, otherwise string) (trunk.Activation, error) {
	name := config.text(key, otherwise)
	function, known := activations[name]
	if !known {
		return 0, unsupported("%s: %s%s %s", config.file, config.within, key, shortened([]byte(name)))
	}
	return function, config.err()
}

// shape is the sizes that most architectures name alike.
type shape struct {
	vocabulary, width, layers, heads, hidden, positions int
}

// check refuses sizes that no model has. Those that are there were counted with [object.count].
func (s *shape) check(config *object) error {
	if config.err() == nil && s.width%s.heads != 0 {
		return malformed("%s: %sa width of %d is not a multiple of %d heads", config.file, config.within, s.width, s.heads)
	}
	return config.err()
}

// open opens the weights of a part of the model.
func (b *builder) open(at place) (*weights, error) { return openWeights(at, "model.safetensors") }
