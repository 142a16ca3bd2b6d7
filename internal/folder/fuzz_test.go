package folder_test

import (
	stderrors "errors"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/internal/media/preprocess"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// configurations are the files of a folder that say what it is.
var configurations = []string{
	"config.json", "modules.json", "1_Pooling/config.json", "2_Dense/config.json", "sentence_bert_config.json", "tokenizer_config.json",
	"config_sentence_transformers.json", weights + ".index.json", "text_encoder.json", "tokenizer.json",
	"preprocessor_config.json",
}

// Any configuration is either refused with a status that says why, or gives a model that works.
func FuzzConfiguration(f *testing.F) {
	folders := map[string]fstest.MapFS{}
	for _, name := range foldertest.Names(f, "testdata") {
		folders[name], _ = goldenFolder(f, name)
		for i, file := range configurations {
			if data, found := folders[name][file]; found && len(data.Data) < 1<<13 {
				f.Add(name, uint(i), data.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, name string, which uint, text []byte) {
		base, found := folders[name]
		if !found {
			return
		}
		files := fstest.MapFS{}
		for path, file := range base {
			files[path] = file
		}
		files[configurations[which%uint(len(configurations))]] = &fstest.MapFile{Data: text}
		m, err := folder.Open(folder.Files(files), nil)
		if err != nil {
			requireKnown(t, err)
			return
		}
		var s folder.Scratch
		ids, covered, err := m.Tokenize(&s, nil, []byte("The boats came back from the sea."), "")
		if err != nil {
			requireKnown(t, err)
			return
		}
		require.LessOrEqual(t, covered, 33)
		d := m.Describe()
		require.LessOrEqual(t, len(ids), int(d.Context))
		require.NoError(t, m.Encode(&s, folder.Batch{IDs: ids, Lengths: []int{len(ids)}}, make([]float32, d.EmbeddingColumns), make([]float32, len(ids)*int(d.StateColumns)), nil))
		p := m.Image()
		if p == nil || p.Side > 1<<8 {
			return
		}
		vectors := make([]float32, p.Count()*p.Size())
		p.Patches(new(preprocess.Resizer), vectors, &raster.Image{Width: 3, Height: 2, RGB: make([]byte, 18)})
		encodePictures(t, m, prepared{vectors}, []int{p.Tokens}, make([]float32, p.Tokens*p.StateColumns))
	})
}

// requireKnown requires an error to have one of the statuses that bad folders have.
func requireKnown(t testing.TB, err error) {
	for _, status := range []error{errors.ErrMalformed, errors.ErrUnsupported, errors.ErrIO, errors.ErrInvalidArgument} {
		if stderrors.Is(err, status) {
			return
		}
	}
	require.NoError(t, err, "an error without a status")
}
