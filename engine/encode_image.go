package engine

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/media/preprocess"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// pictures is the working memory of pictures: one picture at a time, for every size of batch.
type pictures struct {
	resizer raster.Resizer
	folders preprocess.Resizer // that of a folder's pictures
	square  []float32          // the picture, resized
	vectors []float32          // the patches of one item
}

// cut writes the patches of a picture to dst.
func (p *pictures) cut(m *media, picture *raster.Image, dst []float32) {
	if m.prepare != nil {
		m.prepare.Patches(&p.folders, dst, picture)
		return
	}
	side := m.image.Side
	p.square = grown(p.square, side*side*3)
	p.resizer.Resize(p.square, picture, side)
	raster.Patches(dst, p.square, side, m.image.Patch, m.mean, m.deviation)
}

// picture returns the patches of a file. They are valid until the next item's are made.
func (p *pictures) picture(m *media, file []byte) ([]float32, error) {
	decoded, err := decodePicture(file, m.limits.image(), m.background())
	if err != nil {
		return nil, err
	}
	p.vectors = grown(p.vectors, m.patchesSize())
	p.cut(m, decoded, p.vectors)
	return p.vectors, nil
}

// clip is [pictures.picture] for a video file.
func (p *pictures) clip(m *media, file []byte) ([]float32, error) {
	frames, err := decodeClip(file, m.frames, m.limits.video())
	if err != nil {
		return nil, err
	}
	size := m.image.Side * m.image.Side * 3
	p.vectors = grown(p.vectors, m.frames*size)
	for i := range frames {
		p.cut(m, &frames[i], p.vectors[i*size:(i+1)*size])
	}
	return p.vectors, nil
}

// images is the medium of image_encode.
type images struct{}

// imageEncode implements [abi.Library.ImageEncode].
func (l *library) imageEncode(a *abi.ImageEncode) {
	if a != nil {
		c := l.newEncoding(images{}, encodeArguments{
			model: a.Model, executor: a.Executor, arena: a.Arena, outcome: a.Outcome,
			completion: a.Completion, scalar: a.Scalar, items: a.Images, count: a.Count,
			progress: a.Progress, progressState: a.ProgressState,
			embeddings: a.Embeddings, states: a.States,
		})
		c.submit(a.Completion, c.check())
	}
}

func (images) items() string { return "images" }

func (images) modality() abi.Modality { return abi.ModalityImage }

func (images) open(c *encodeCall) *fault { return c.openFiles() }

func (images) measure(c *encodeCall) *fault {
	c.setLengths(c.model.media.tokens())
	return nil
}

func (m images) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) *fault {
	return c.encodePatches(m, space, begin, end, embeddings, states)
}

func (images) patches(c *encodeCall, space *workspace, item int) ([]float32, *fault) {
	vectors, err := space.picture(c.model.media, c.inputs.item(item))
	if err != nil {
		return nil, faultOf(err).at(item)
	}
	return vectors, nil
}

// videos is the medium of video_encode.
type videos struct{}

// videoEncode implements [abi.Library.VideoEncode].
func (l *library) videoEncode(a *abi.VideoEncode) {
	if a != nil {
		c := l.newEncoding(videos{}, encodeArguments{
			model: a.Model, executor: a.Executor, arena: a.Arena, outcome: a.Outcome,
			completion: a.Completion, scalar: a.Scalar, items: a.Videos, count: a.Count,
			progress: a.Progress, progressState: a.ProgressState,
			embeddings: a.Embeddings, states: a.States,
		})
		c.submit(a.Completion, c.check())
	}
}

func (videos) items() string { return "videos" }

func (videos) modality() abi.Modality { return abi.ModalityVideo }

func (videos) open(c *encodeCall) *fault { return c.openFiles() }

func (videos) measure(c *encodeCall) *fault {
	c.setLengths(c.model.media.frames * c.model.media.image.Tokens())
	return nil
}

func (m videos) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) *fault {
	return c.encodePatches(m, space, begin, end, embeddings, states)
}

func (videos) patches(c *encodeCall, space *workspace, item int) ([]float32, *fault) {
	vectors, err := space.clip(c.model.media, c.inputs.item(item))
	if err != nil {
		return nil, faultOf(err).at(item)
	}
	return vectors, nil
}
