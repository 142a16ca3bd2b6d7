package engine

import (
	"errors"
	"math"
	"sync"

	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/media/sound"
	"github.com/unum-cloud/uform-go/internal/model"
)

// media is how a model preprocesses pictures, clips and recordings: those parts of its
// configuration, ready for use.
type media struct {
	prepare         *folder.Preprocessing // of a folder's pictures, else nil
	image           *model.Image          // nil without pictures and clips, and for a folder
	frames          int                   // in a clip
	mean, deviation [3]float32
	analyzer        *sound.Analyzer // nil without recordings
	rate            int
	limits          Limits

	mutex      sync.Mutex
	resamplers map[int]*sound.Resampler // by source rate
}

// keptResamplers bounds the number of rates whose filters are kept, at up to 4 MiB each.
const keptResamplers = 16

func newMedia(config model.Config, limits Limits) (*media, error) {
	m := &media{image: config.Image, limits: limits, resamplers: map[int]*sound.Resampler{}}
	if config.Video != nil {
		m.frames = config.Video.Frames
	}
	if config.Image != nil {
		for channel := range 3 {
			m.mean[channel] = float32(config.Image.Mean[channel])
			// A deviation may be too small for 32 bits, and must not become zero.
			m.deviation[channel] = max(float32(config.Image.Deviation[channel]), math.SmallestNonzeroFloat32)
		}
	}
	if config.Audio == nil {
		return m, nil
	}
	a := config.Audio
	m.rate = a.Rate
	var err error
	m.analyzer, err = sound.NewAnalyzer(sound.Config{
		Rate: a.Rate, Window: a.Window, Hop: a.Hop, Mels: a.Mels, Low: a.Low, High: a.High, Frames: a.Frames,
		Mean: a.Mean, Deviation: a.Deviation,
	})
	return m, err
}

// tokens returns the number of tokens of a picture.
func (m *media) tokens() int {
	if m.prepare != nil {
		return m.prepare.Tokens
	}
	return m.image.Tokens()
}

// patchesSize returns the number of scalars in the patches of a picture.
func (m *media) patchesSize() int {
	if m.prepare != nil {
		return m.prepare.Count() * m.prepare.Size()
	}
	return m.image.Side * m.image.Side * 3
}

// background returns what pictures are composed on where they are transparent: white for a folder,
// which has no say in that.
func (m *media) background() [3]uint8 {
	if m.prepare != nil {
		return [3]uint8{255, 255, 255}
	}
	return *m.image.Background
}

// resampler returns the resampler from a rate to the model's.
func (m *media) resampler(from int) (*sound.Resampler, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if r := m.resamplers[from]; r != nil {
		return r, nil
	}
	r, err := sound.NewResampler(from, m.rate)
	if err != nil {
		return nil, err
	}
	if len(m.resamplers) < keptResamplers {
		m.resamplers[from] = r
	}
	return r, nil
}

// patcher is a medium whose tokens are patches.
type patcher interface {
	medium
	// patches returns the patches of an item that is not empty. They are valid until the next call.
	patches(c *encodeCall, space *workspace, item int) ([]float32, *fault)
}

// source implements [model.Source] with the items of a slice.
type source struct {
	medium patcher
	call   *encodeCall
	space  *workspace
	begin  int
	fault  *fault // what patches returned, if that ended the call
}

var errSource = errors.New("the source has a fault")

func (s *source) Patches(item int) ([]float32, error) {
	vectors, f := s.medium.patches(s.call, s.space, s.begin+item)
	if f != nil {
		s.fault = f
		return nil, errSource
	}
	return vectors, nil
}

// encodePatches implements encode of a medium whose tokens are patches, once the lengths of the
// slice's items are known.
func (c *encodeCall) encodePatches(m patcher, space *workspace, begin, end int, embeddings, states []float32) *fault {
	space.source = source{medium: m, call: c, space: space, begin: begin}
	space.batch = model.Patches{Modality: m.modality(), Lengths: c.lengths[begin:end], Source: &space.source}
	var err error
	if c.model.folder != nil {
		err = c.model.folder.EncodePictures(&space.folder, &space.batch, embeddings, states, c.stop)
	} else {
		err = c.model.model.EncodePatches(&space.scratch, &space.batch, embeddings, states, c.stop)
	}
	switch {
	case space.source.fault != nil:
		return space.source.fault
	case err != nil:
		return faultOf(err)
	}
	return nil
}

// setLengths gives every item but the empty ones the same number of tokens.
func (c *encodeCall) setLengths(tokens int) {
	for i := range c.lengths {
		if c.inputs.length(i) > 0 {
			c.lengths[i] = tokens
		}
	}
	c.cut(len(c.lengths), sliceFiles, func(item int) int { return c.lengths[item] })
}

// openFiles implements open for media that are files.
func (c *encodeCall) openFiles() (f *fault) {
	c.inputs, f = c.open(c.medium.items(), c.arguments.items, c.arguments.count)
	return f
}
