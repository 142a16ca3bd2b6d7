package folder_test

import (
	"hash/crc32"
	"io/fs"
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

// TestGoldenPictures compares pictures of the towers of CLIP, SigLIP and UForm 3: the bytes once they
// are resized and cut, the embeddings, and the states of one.
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
	require.Equal(t, 5, found)
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
