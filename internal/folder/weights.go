package folder

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	stderrors "errors"

	"github.com/unum-cloud/uform-go/internal/gitlfs"
	"github.com/unum-cloud/uform-go/internal/model"
)

// mostShards is the most files that an index may name.
const mostShards = 1024

// weights are the tensors of one part of a model, by the names that its architecture gives them.
type weights struct {
	name    string // of the file or the index, for errors
	tensors map[string]model.Tensor
	fileOf  map[string]string // the name of each tensor's file
	prefix  string
	renamed [][2]string // other endings of names, old after new
	exact   bool        // matrices are not rounded to bytes, whatever the kind of the load
}

// otherFormats are files that hold weights in formats that are not read.
var otherFormats = []string{
	"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack", "model.onnx",
	"text_encoder.pt", "torch_weight.pt", "weight.pt", "model.pt",
}

// openWeights reads the headers of model.safetensors, or of the files that its index names.
func openWeights(at place, file string) (*weights, error) {
	w := &weights{name: at.name(file), tensors: map[string]model.Tensor{}, fileOf: map[string]string{}}
	err := w.add(at, file)
	if err == nil {
		return w, nil
	}
	if !stderrors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	index, failure := at.object(file + ".index.json")
	switch {
	case failure != nil:
		return nil, failure
	case index != nil:
		if failure := w.addShards(at, index); failure != nil {
			return nil, failure
		}
		return w, nil
	}
	for _, other := range otherFormats {
		if at.has(other) {
			return nil, unsupported("the weights are in %s: save them as safetensors", at.name(other))
		}
	}
	return nil, err
}

// add adds the tensors of a file.
func (w *weights) add(at place, file string) error {
	name := at.name(file)
	body, err := at.source.Map(name)
	if err != nil {
		return unreadable(name, err)
	}
	if gitlfs.IsPointer(body) {
		return malformed("%s %w", name, gitlfs.ErrPointer)
	}
	container, err := model.ReadContainer(body)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for tensor, data := range container.Tensors {
		if other, twice := w.fileOf[tensor]; twice {
			return malformed("the tensor %q is both in %s and in %s", tensor, other, name)
		}
		w.tensors[tensor], w.fileOf[tensor] = data, name
	}
	return nil
}

// addShards adds the files that an index names. They are beside it, and nowhere else.
func (w *weights) addShards(at place, index *object) error {
	fileOf := index.texts("weight_map")
	if err := index.err(); err != nil {
		return err
	}
	w.name = index.file
	shards := slices.Sorted(maps.Values(fileOf))
	shards = slices.Compact(shards)
	switch {
	case len(shards) == 0:
		return malformed("%s: weight_map names no file", index.file)
	case len(shards) > mostShards:
		return unsupported("%s: weight_map names %d files, over %d", index.file, len(shards), mostShards)
	}
	for _, shard := range shards {
		if !fs.ValidPath(shard) || shard == "." || strings.ContainsAny(shard, `/\:`) {
			return malformed("%s: weight_map names %s, which is not a file beside it", index.file, shortened([]byte(shard)))
		}
		if !strings.HasSuffix(shard, ".safetensors") {
			return unsupported("%s: weight_map names %s: save the weights as safetensors", index.file, shortened([]byte(shard)))
		}
		before := len(w.tensors)
		if err := w.add(at, shard); err != nil {
			return err
		}
		if len(w.tensors) == before {
			return malformed("%s: %s holds no tensor", index.file, shortened([]byte(at.name(shard))))
		}
	}
	for name := range fileOf {
		if _, found := w.tensors[name]; !found {
			return malformed("%s: weight_map has the tensor %s, which no file holds", index.file, shortened([]byte(name)))
		}
	}
	return nil
}

// strip chooses the first of some prefixes with which the file has a tensor.
func (w *weights) strip(tensor string, prefixes ...string) {
	for _, prefix := range prefixes {
		if _, found := w.find(prefix + tensor); found {
			w.prefix = prefix
			return
		}
	}
}

// with returns the same tensors with another prefix of their names.
func (w *weights) with(prefix string) *weights {
	other := *w
	other.prefix = w.prefix + prefix
	return &other
}

// exactly returns the same tensors, of which no matrix is rounded to bytes. Those are the matrices
// before and after the layers, and those of values where no inputs stand apart, as in towers of
// pictures: rounded inputs of these alone cost a real model more than those of all other matrices
// of the attention together.
func (w *weights) exactly() *weights {
	other := *w
	other.exact = true
	return &other
}

func (w *weights) find(name string) (model.Tensor, bool) {
	tensor, found := w.tensors[name]
	for _, pair := range w.renamed {
		if found {
			break
		}
		if before, ends := strings.CutSuffix(name, pair[0]); ends {
			tensor, found = w.tensors[before+pair[1]]
		}
	}
	return tensor, found
}

// has reports whether there is a tensor.
func (w *weights) has(name string) bool {
	_, found := w.find(w.prefix + name)
	return found
}

// tensor returns a tensor of a dtype and shape.
func (w *weights) tensor(name string, dtypes []model.DType, shape ...int) (model.Tensor, error) {
	name = w.prefix + name
	tensor, found := w.find(name)
	switch {
	case !found:
		return tensor, malformed("%s: the tensor %q is missing", w.name, name)
	case !slices.Contains(dtypes, tensor.DType):
		return tensor, unsupported("%s: the tensor %q is %s where one of %v is read", w.fileOf[tensor.Name], name, tensor.DType, dtypes)
	case !slices.Equal(tensor.Shape, shape):
		return tensor, malformed("%s: the tensor %q has shape %v where %v belongs", w.fileOf[tensor.Name], name, tensor.Shape, shape)
	}
	return tensor, nil
}

// file returns the name of the file that a tensor is in.
func (w *weights) file(name string) string {
	tensor, _ := w.find(w.prefix + name)
	return w.fileOf[tensor.Name]
}

// rows and columns return the dimensions of a tensor, 0 where it is missing or has fewer.
func (w *weights) rows(name string) int { return w.dimension(name, 0) }

func (w *weights) columns(name string) int { return w.dimension(name, 1) }

func (w *weights) dimension(name string, index int) int {
	tensor, _ := w.find(w.prefix + name)
	if index >= len(tensor.Shape) {
		return 0
	}
	return tensor.Shape[index]
}
