package hostile_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/internal/model"
)

// folders are small models in Hugging Face's layout, each packed into one input.
func folders(t *testing.T, random *rand.Rand) *mutator {
	m := &mutator{random: random, edit: editFolder}
	testdata := filepath.Join("..", "folder", "testdata")
	for _, name := range foldertest.Names(t, testdata) {
		files, _ := foldertest.Read(t, testdata, name)
		m.samples = append(m.samples, packFolder(files))
	}
	return m
}

// packFolder writes the files of a folder one after the other: the lengths of the name and of the
// content, in four bytes each, and both.
func packFolder(files fstest.MapFS) (packed []byte) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		packed = binary.LittleEndian.AppendUint32(packed, uint32(len(name)))
		packed = binary.LittleEndian.AppendUint32(packed, uint32(len(files[name].Data)))
		packed = append(append(packed, name...), files[name].Data...)
	}
	return packed
}

// unpackFolder reads as many files as there are.
func unpackFolder(packed []byte) fstest.MapFS {
	files := fstest.MapFS{}
	for len(packed) >= 8 {
		name, size := int(binary.LittleEndian.Uint32(packed)), int(binary.LittleEndian.Uint32(packed[4:]))
		packed = packed[8:]
		name = min(name, len(packed))
		size = min(size, len(packed)-name)
		if path := string(packed[:name]); fs.ValidPath(path) {
			files[path] = &fstest.MapFile{Data: packed[name : name+size]}
		}
		packed = packed[name+size:]
	}
	return files
}

// editFolder changes a file as what it is, or removes one, or gives one the content of another.
func editFolder(random *rand.Rand, packed []byte) []byte {
	files := unpackFolder(packed)
	names := slices.Sorted(maps.Keys(files))
	if len(names) == 0 {
		return packed
	}
	name := names[random.IntN(len(names))]
	if random.IntN(2) == 0 { // configurations are small, and say the most
		small := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return !strings.HasSuffix(name, ".json") || len(files[name].Data) > 4<<10
		})
		if len(small) > 0 {
			name = small[random.IntN(len(small))]
		}
	}
	file := &fstest.MapFile{Data: bytes.Clone(files[name].Data)}
	files[name] = file
	switch other := names[random.IntN(len(names))]; random.IntN(12) {
	case 0:
		delete(files, name)
	case 1:
		file.Data = files[other].Data
	case 2:
		delete(files, name)
		files[other] = file
	default:
		if strings.HasSuffix(name, ".json") {
			file.Data = editJSON(random, file.Data)
		} else {
			file.Data = editCheckpoint(random, file.Data)
		}
	}
	return packFolder(files)
}

// takeFolder loads a folder and encodes some texts.
func takeFolder(_ *testing.T, _ target, data []byte) error {
	refused := func(err error) error {
		status, _ := errors.StatusOf(err)
		return errors.New("load a folder", status, errors.NoItem, err)
	}
	m, err := folder.Open(folder.Files(unpackFolder(data)), nil)
	if err != nil {
		return refused(err)
	}
	var s folder.Scratch
	var ids []int32
	var lengths []int
	for _, text := range []string{"a cat on a mat", "", strings.Repeat("What is the capital of France? ", 10)} {
		before := len(ids)
		if ids, _, err = m.Tokenize(&s, ids, []byte(text), ""); err != nil {
			return refused(err)
		}
		lengths = append(lengths, len(ids)-before)
	}
	d := m.Describe()
	embeddings, states := make([]float32, len(lengths)*int(d.EmbeddingColumns)), make([]float32, len(ids)*int(d.StateColumns))
	if err := m.Encode(&s, ids, lengths, "", embeddings, states, nil); err != nil {
		return refused(err)
	}
	if p := m.Image(); p != nil {
		vectors := blank(make([]float32, p.Count()*p.Size()))
		patches := model.Patches{Modality: abi.ModalityImage, Lengths: []int{p.Tokens}, Source: vectors}
		if err := m.EncodePictures(&s, &patches, embeddings[:d.EmbeddingColumns], make([]float32, p.Tokens*p.StateColumns), nil); err != nil {
			return refused(err)
		}
	}
	return nil
}

// blank is the patches of one picture.
type blank []float32

func (b blank) Patches(int) ([]float32, error) { return b, nil }

// craftedFolders cost a reader as much as the format allows.
func craftedFolders() (crafted [][]byte) {
	size := 1 << 20
	if longTime() > 0 {
		size = 16 << 20
	}
	add := func(name, content string) {
		files := fstest.MapFS{"config.json": {Data: []byte(`{"model_type":"bert"}`)}}
		files[name] = &fstest.MapFile{Data: []byte(content)}
		crafted = append(crafted, packFolder(files))
	}
	fill := func(begin, middle, end string) string {
		return begin + strings.Repeat(middle, (size-len(begin)-len(end))/len(middle)) + end
	}
	for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors.index.json", "modules.json"} {
		add(name, fill("", "[", ""))
		add(name, fill(`{"model_type":`, `{"model_type":`, "1}"))
		add(name, fill(`{"model":[`, `[],`, `[]]}`))
	}
	add("modules.json", fill(`[{"path":"","type":"a.Transformer"}`, `,{"path":"","type":"a.Dropout"}`, `]`))
	add("modules.json", fill(`[{"path":"","type":"`, `.`, `"}]`))
	add("model.safetensors.index.json", fill(`{"weight_map":{"a":"`, `a`, `"}}`))
	add("config.json", fill(`{"model_type":"bert","hidden_size":1`, `0`, `}`))
	add("tokenizer.json", fill(`{"normalizer":{"type":"Sequence","normalizers":[`, `{"type":"NFKC"},`, `{"type":"NFC"}]}}`))
	return crafted
}
