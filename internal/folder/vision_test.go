package folder_test

import (
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/internal/media/preprocess"
	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/testdata/media"
)

// prepared are the patches of pictures.
type prepared [][]float32

func (p prepared) Patches(item int) ([]float32, error) { return p[item], nil }

// decoded returns a picture of testdata/media.
func decoded(t testing.TB, name string) *raster.Image {
	file, err := fs.ReadFile(media.Files, "images/"+name)
	require.NoError(t, err)
	im, err := raster.Decode(file, nil, [3]uint8{255, 255, 255})
	require.NoError(t, err)
	return im
}

// encodePictures embeds pictures, and returns states too if there are any to write to.
func encodePictures(t testing.TB, m *folder.Model, patches prepared, lengths []int, states []float32) []float32 {
	embeddings := make([]float32, len(lengths)*int(m.Describe().EmbeddingColumns))
	var s folder.Scratch
	batch := model.Patches{Modality: abi.ModalityImage, Lengths: lengths, Source: patches}
	require.NoError(t, m.EncodePictures(&s, &batch, embeddings, states, nil))
	return embeddings
}

// TestGoldenPictures compares pictures of the towers of CLIP, SigLIP and UForm 3: the bytes once
// they are resized and cut, the embeddings, and the states of one.
func TestGoldenPictures(t *testing.T) {
	found := 0
	for _, name := range foldertest.Names(t, "testdata") {
		files, g := goldenFolder(t, name)
		if g.Pictures == nil {
			continue
		}
		found++
		t.Run(name, func(t *testing.T) {
			m, err := folder.Open(folder.Files(files), nil)
			require.NoError(t, err)
			description, p := m.Describe(), m.Image()
			require.NotNil(t, p)
			require.NotZero(t, description.Modalities>>abi.ModalityImage&1)
			if len(g.Cases) == 0 {
				require.EqualValues(t, 1<<abi.ModalityImage, description.Modalities)
				require.Zero(t, m.Details().Tokenizer)
				_, _, err := m.Tokenize(new(folder.Scratch), nil, []byte("a"), "")
				require.ErrorIs(t, err, errors.ErrUnsupported)
				require.ErrorIs(t, m.Encode(new(folder.Scratch), folder.Batch{}, nil, nil, nil), errors.ErrUnsupported)
			}
			var r preprocess.Resizer
			var patches prepared
			var lengths []int
			var worst float64
			for _, c := range g.Pictures {
				im := decoded(t, c.Picture)
				square := make([]byte, p.Side*p.Side*3)
				p.Square(&r, square, im)
				require.Equal(t, c.Crop, crc32.ChecksumIEEE(square), c.Picture)
				vectors := make([]float32, p.Count()*p.Size())
				p.Patches(&r, vectors, im)
				states := make([]float32, p.Tokens*p.StateColumns)
				got := encodePictures(t, m, prepared{vectors}, []int{p.Tokens}, states)
				worst = max(worst, distance(t, c.Embedding, got))
				require.LessOrEqual(t, distance(t, c.Embedding, got), 1e-5, c.Picture)
				if c.States != nil {
					require.Equal(t, c.Rows, p.Tokens)
					require.LessOrEqual(t, distance(t, c.States, states), 1e-5, c.Picture)
				}
				require.Equal(t, got, encodePictures(t, m, prepared{vectors}, []int{p.Tokens}, nil), "without states")
				patches, lengths = append(patches, vectors), append(lengths, p.Tokens)
			}
			// More than go through the layers at once, and an empty one.
			count := len(lengths)
			lengths[1] = 0
			for i := range 100 {
				patches, lengths = append(patches, patches[i%count]), append(lengths, lengths[i%count])
			}
			columns := int(description.EmbeddingColumns)
			states := make([]float32, 0)
			for _, length := range lengths {
				states = append(states, make([]float32, length*p.StateColumns)...)
			}
			all := encodePictures(t, m, patches, lengths, states)
			require.Equal(t, make([]float32, columns), all[columns:2*columns])
			for i, length := range lengths {
				if length > 0 {
					alone := encodePictures(t, m, prepared{patches[i]}, []int{length}, nil)
					require.Equal(t, alone, all[i*columns:][:columns], i)
				}
			}
			t.Logf("%d pictures, %.1g", count, worst)
		})
	}
	require.Equal(t, 8, found)
}

// TestKindsOfPictures loads the towers in other kinds, which stay near.
func TestKindsOfPictures(t *testing.T) {
	for _, name := range []string{"clip", "siglip", "uform", "uform-multilingual"} {
		files, g := goldenFolder(t, name)
		for kind, nearest := range map[abi.Scalar]float64{abi.ScalarF32: .9999999, abi.ScalarBF16: .999, abi.ScalarI8: .99} {
			m, err := folder.Open(folder.Files(files), &folder.Options{Kind: kind})
			require.NoError(t, err)
			p := m.Image()
			for _, c := range g.Pictures {
				vectors := make([]float32, p.Count()*p.Size())
				p.Patches(new(preprocess.Resizer), vectors, decoded(t, c.Picture))
				got := encodePictures(t, m, prepared{vectors}, []int{p.Tokens}, nil)
				var product, left, right float64
				for i, want := range c.Embedding {
					product += float64(want) * float64(got[i])
					left += float64(want) * float64(want)
					right += float64(got[i]) * float64(got[i])
				}
				require.Greater(t, product/math.Sqrt(left*right), nearest, "%s %v %s", name, kind, c.Picture)
			}
		}
	}
}

// TestPicturesThatAreRefused checks arguments that do not fit.
func TestPicturesThatAreRefused(t *testing.T) {
	files, _ := goldenFolder(t, "clip")
	m, err := folder.Open(folder.Files(files), nil)
	require.NoError(t, err)
	p := m.Image()
	var s folder.Scratch
	vectors := make([]float32, p.Count()*p.Size())
	columns := int(m.Describe().EmbeddingColumns)
	encode := func(m *folder.Model, modality abi.Modality, length, scalars, room int) error {
		batch := model.Patches{Modality: modality, Lengths: []int{length}, Source: prepared{vectors[:scalars]}}
		return m.EncodePictures(&s, &batch, make([]float32, room), nil, nil)
	}
	require.NoError(t, encode(m, abi.ModalityImage, p.Tokens, len(vectors), columns))
	require.ErrorIs(t, encode(m, abi.ModalityVideo, p.Tokens, len(vectors), columns), errors.ErrUnsupported)
	require.ErrorIs(t, encode(m, abi.ModalityImage, p.Tokens-1, len(vectors), columns), errors.ErrInvalidArgument)
	require.ErrorIs(t, encode(m, abi.ModalityImage, p.Tokens, len(vectors)-1, columns), errors.ErrInvalidArgument)
	require.ErrorIs(t, encode(m, abi.ModalityImage, p.Tokens, len(vectors), columns+1), errors.ErrInvalidArgument)
	batch := model.Patches{Modality: abi.ModalityImage, Lengths: []int{p.Tokens}, Source: prepared{vectors}}
	require.ErrorIs(t, m.EncodePictures(&s, &batch, nil, nil, func() bool { return true }), errors.ErrCancelled)
	files, _ = goldenFolder(t, "bert")
	texts, err := folder.Open(folder.Files(files), nil)
	require.NoError(t, err)
	require.Nil(t, texts.Image())
	require.ErrorIs(t, encode(texts, abi.ModalityImage, 10, len(vectors), 32), errors.ErrUnsupported)
}

// TestPreprocessingIsRead changes preprocessor_config.json of CLIP and SigLIP. An error has to name
// what was changed.
func TestPreprocessingIsRead(t *testing.T) {
	const file = "preprocessor_config.json"
	cases := []struct {
		folder string
		change map[string]any
		want   func(*folder.Preprocessing)
		fails  error
		named  string
	}{
		{folder: "clip", want: func(*folder.Preprocessing) {}},
		{folder: "clip", change: map[string]any{"size": map[string]any{"shortest_edge": 30}}, want: func(p *folder.Preprocessing) { p.Short = 30 }},
		{folder: "clip", change: map[string]any{"size": map[string]any{"height": 30, "width": 28}}, want: func(p *folder.Preprocessing) { p.Short, p.Width, p.Height = 0, 28, 30 }},
		{folder: "clip", change: map[string]any{"do_resize": false}, want: func(p *folder.Preprocessing) { p.Short, p.Filter = 0, 0 }},
		{folder: "clip", change: map[string]any{"resample": nil}, want: func(*folder.Preprocessing) {}},
		{folder: "clip", change: map[string]any{"resample": 1}, want: func(p *folder.Preprocessing) { p.Filter = preprocess.Lanczos }},
		{folder: "clip", change: map[string]any{"do_normalize": false}, want: func(p *folder.Preprocessing) { p.Mean, p.Deviation = [3]float32{}, [3]float32{1, 1, 1} }},
		{folder: "clip", change: map[string]any{"do_rescale": false}, want: func(p *folder.Preprocessing) { p.Scale = 1 }},
		{folder: "clip", change: map[string]any{"rescale_factor": .01}, want: func(p *folder.Preprocessing) { p.Scale = .01 }},
		{folder: "clip", change: map[string]any{"image_mean": nil, "image_std": nil}, want: func(*folder.Preprocessing) {}},
		{folder: "siglip", change: map[string]any{"image_mean": nil, "resample": nil, "size": 24}, want: func(p *folder.Preprocessing) {
			p.Short, p.Width, p.Height, p.Mean, p.Deviation, p.Tokens = 0, 24, 24, [3]float32{.5, .5, .5}, [3]float32{.5, .5, .5}, 9
			p.Scale = 0.00392156862745098
		}},
		{folder: "clip", change: map[string]any{"crop_size": 22}, fails: errors.ErrUnsupported, named: "22×22"},
		{folder: "clip", change: map[string]any{"do_center_crop": false}, fails: errors.ErrUnsupported, named: "24×24"},
		{folder: "clip", change: map[string]any{"size": 0}, fails: errors.ErrMalformed, named: "size"},
		{folder: "clip", change: map[string]any{"size": map[string]any{"width": 24}}, fails: errors.ErrMalformed, named: "size.height"},
		{folder: "clip", change: map[string]any{"size": map[string]any{"shortest_edge": 24, "longest_edge": 48}}, fails: errors.ErrMalformed, named: "longest_edge"},
		{folder: "clip", change: map[string]any{"resample": 6}, fails: errors.ErrUnsupported, named: "resample"},
		{folder: "clip", change: map[string]any{"image_mean": []float64{.5}}, fails: errors.ErrMalformed, named: "image_mean"},
		{folder: "clip", change: map[string]any{"image_std": []float64{1, 0, 1}}, fails: errors.ErrMalformed, named: "image_std"},
		{folder: "clip", change: map[string]any{"rescale_factor": 1e300}, fails: errors.ErrMalformed, named: "image_mean"},
		{folder: "clip", change: map[string]any{"do_pad": true}, fails: errors.ErrUnsupported, named: "do_pad"},
		{folder: "clip", change: map[string]any{"feature_extractor_type": "ViTFeatureExtractor"}, fails: errors.ErrUnsupported, named: "ViTFeatureExtractor"},
		{folder: "siglip", change: map[string]any{"size": map[string]any{"shortest_edge": 24}}, fails: errors.ErrUnsupported, named: "24×24"},
	}
	usual := folder.Preprocessing{Preprocessing: preprocess.Preprocessing{
		Short: 24, Filter: preprocess.Bicubic, Side: 24, Scale: 1 / 255., Patch: 8,
		Mean: [3]float32{0.48145466, 0.4578275, 0.40821073}, Deviation: [3]float32{0.26862954, 0.26130258, 0.27577711},
	}, Tokens: 10, StateColumns: 32}
	for _, c := range cases {
		files, _ := goldenFolder(t, c.folder)
		edit(t, files, file, c.change)
		m, err := folder.Open(folder.Files(files), nil)
		if c.fails != nil {
			require.ErrorIs(t, err, c.fails, "%v", c.change)
			require.ErrorContains(t, err, c.named)
			continue
		}
		require.NoError(t, err, "%v", c.change)
		want := usual
		c.want(&want)
		require.Equal(t, want, *m.Image(), "%v", c.change)
	}
	// Without the file the model is one of texts; newer folders keep it in another.
	files, _ := goldenFolder(t, "clip")
	inner := files[file].Data
	delete(files, file)
	m, err := folder.Open(folder.Files(files), nil)
	require.NoError(t, err)
	require.Nil(t, m.Image())
	edit(t, files, "processor_config.json", map[string]any{"image_processor": json.RawMessage(inner)})
	m, err = folder.Open(folder.Files(files), nil)
	require.NoError(t, err)
	require.Equal(t, usual, *m.Image())
}
