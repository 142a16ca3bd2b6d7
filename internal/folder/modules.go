package folder

import (
	"path"
	"strings"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// mostModules is the most modules that a folder may list: each is read from files of its own, which
// may be the same ones. Real folders have fewer than ten.
const mostModules = 64

// module is one of modules.json: a step from texts to embeddings.
type module struct {
	path string
	kind string // the last part of its type
}

// readModules reads modules.json, nil where there is none. The first module makes rows, or
// embeddings, of texts.
func readModules(root place) ([]module, error) {
	const file = "modules.json"
	text, err := root.read(file)
	if text == nil || err != nil {
		return nil, err
	}
	var list []struct {
		Path *string `json:"path"`
		Type string  `json:"type"`
	}
	if err := jsonfile.Decode(text, &list); err != nil {
		return nil, malformed("%s: %w", file, err)
	}
	switch {
	case len(list) == 0:
		return nil, malformed("%s: no module", file)
	case len(list) > mostModules:
		return nil, unsupported("%s: %d modules, over %d", file, len(list), mostModules)
	}
	var modules []module
	for i, entry := range list {
		if entry.Path == nil {
			return nil, malformed("%s: module %d has no path", file, i)
		}
		kind := entry.Type[strings.LastIndex(entry.Type, ".")+1:]
		switch kind {
		case "Transformer", "CLIPModel", "StaticEmbedding":
			if i > 0 {
				return nil, unsupported("%s: a %s as module %d", file, kind, i)
			}
		case "Pooling", "Dense", "LayerNorm", "Normalize", "Dropout":
			if i == 0 {
				return nil, unsupported("%s: a %s as the first module", file, kind)
			}
		default:
			return nil, unsupported("%s: module %d is a %s", file, i, shortened([]byte(entry.Type)))
		}
		modules = append(modules, module{path.Clean(*entry.Path), kind})
	}
	return modules, nil
}

// modules adds what comes after the rows of a text.
func (b *builder) modules(modules []module) error {
	if modules == nil {
		if b.model.texts() && b.model.pooling == nil && b.model.static == nil {
			b.pool(&pooling{modes: []poolingMode{poolMean}, includePrompt: true})
		}
		return nil
	}
	if b.model.details.Architecture == "model2vec" {
		return nil // config.json has said all
	}
	if b.model.pooling != nil || b.model.static != nil {
		// sentence-transformers takes embeddings of CLIP as they are.
		b.model.steps = removeNormalize(b.model.steps)
	}
	for _, module := range modules[1:] {
		at, err := b.root.in(module.path)
		if err != nil {
			return err
		}
		pooled := b.model.pooling != nil || b.model.static != nil
		switch {
		case module.kind == "Dropout": // does nothing once a model is trained
		case module.kind == "Pooling":
			if pooled {
				return unsupported("modules.json: a Pooling of what is one row already")
			}
			err = b.addPooling(at)
		case !pooled:
			return unsupported("modules.json: a %s before the Pooling", module.kind)
		case module.kind == "Dense":
			err = b.addDense(at)
		case module.kind == "LayerNorm":
			err = b.addLayerNorm(at)
		case module.kind == "Normalize":
			err = b.addNormalize(at)
		}
		if err != nil {
			return err
		}
	}
	if b.model.pooling == nil && b.model.static == nil {
		return unsupported("modules.json: no Pooling, so that a text has no embedding")
	}
	return nil
}

// pool sets the pooling, and the width of what it makes.
func (b *builder) pool(p *pooling) {
	b.model.pooling = p
	b.columns = b.width * len(p.modes)
}
