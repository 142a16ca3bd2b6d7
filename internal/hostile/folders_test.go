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

	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/uform"
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

// takeFolder loads a folder and runs the verbs that it serves.
func takeFolder(_ *testing.T, on target, data []byte) error {
	loaded, err := on.library.LoadFS(background, unpackFolder(data), ".", nil)
	if err != nil {
		return err
	}
	defer loaded.Close()
	description, err := loaded.Describe(background)
	if err != nil {
		return err
	}
	texts := []string{"a cat on a mat", "", strings.Repeat("What is the capital of France? ", 10)}
	prompts := append([]string{""}, description.Prompts...)
	for _, prompt := range prompts[:min(len(prompts), 3)] {
		options := &uform.TextOptions{Outputs: uform.Embeddings | uform.States, Prompt: prompt}
		if _, err := loaded.TextEncode(background, uform.Strings(texts), on.arena, options); err != nil {
			return err
		}
		if _, err := loaded.EmbedWith(background, texts, &uform.EmbedOptions{Prompt: prompt}); err != nil {
			return err
		}
	}
	if !slices.Contains(description.Modalities, uform.Image) {
		return nil
	}
	pixels := uform.Pixels{Tape: uform.Bytes([][]byte{make([]byte, 3*5*4)}), Heights: []uint32{5}, Widths: []uint32{4}}
	_, err = loaded.ImageEncodePixels(background, pixels, on.arena, &uform.EncodeOptions{Outputs: uform.Embeddings | uform.States})
	return err
}

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
