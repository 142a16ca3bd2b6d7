package engine

import (
	"slices"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// listening is the working memory of recordings.
type listening struct {
	samples []float32   // one recording at the model's rate
	heard   []float32   // the patches of a slice's recordings
	parts   [][]float32 // those of each
}

// recordings are what only calls of recordings have.
type recordings struct {
	reserved uint32
	// The samples of audio_encode_samples, their rate, and what changes it, nil where nothing needs to.
	samples   []float32
	rate      uint32
	resampler *sound.Resampler
	// What a survey of audio_encode heard, so that it need not be heard again, and how many scalars that is.
	kept [][]float32
	size atomic.Int64
}

// keptScalars bounds what a survey keeps: 64 MiB. Recordings past it are decoded once more.
const keptScalars = 16 << 20

// audioFiles is the medium of audio_encode.
type audioFiles struct{}

// audioEncode implements [abi.Library.AudioEncode].
func (l *library) audioEncode(a *abi.AudioEncode) {
	if a != nil {
		c := l.newEncoding(audioFiles{}, encodeArguments{
			model: a.Model, executor: a.Executor, arena: a.Arena, outcome: a.Outcome,
			completion: a.Completion, scalar: a.Scalar, items: a.Recordings, count: a.Count,
			progress: a.Progress, progressState: a.ProgressState,
			embeddings: a.Embeddings, states: a.States,
		})
		c.submit(a.Completion, c.check())
	}
}

func (audioFiles) items() string { return "recordings" }

func (audioFiles) modality() abi.Modality { return abi.ModalityAudio }

func (audioFiles) open(c *encodeCall) *fault { return c.openFiles() }

// measure leaves the lengths to a survey, since only decoding tells them, or, where no states are asked for, to encode.
func (audioFiles) measure(c *encodeCall) *fault {
	c.cut(len(c.lengths), sliceFiles, func(int) int { return 0 })
	if c.states.asked {
		c.recordings.kept = make([][]float32, len(c.lengths))
		c.surveyor = c
	}
	return nil
}

// surveyRecordings finds the lengths of some recordings, and keeps their patches while there is room.
func (c *encodeCall) surveyRecordings(space *workspace, begin, end int) (f *fault) {
	for i := begin; i < end; i++ {
		if space.heard, f = c.decode(space, space.heard[:0], i); f != nil {
			return f
		}
		c.lengths[i] = len(space.heard) / c.model.media.analyzer.Size()
		if c.recordings.size.Add(int64(len(space.heard))) <= c.library.keptScalars {
			c.recordings.kept[i] = slices.Clone(space.heard)
		}
	}
	return nil
}

// decode appends the patches of a file, none for one without sound.
func (c *encodeCall) decode(space *workspace, dst []float32, item int) ([]float32, *fault) {
	if c.stop != nil && c.stop() {
		return nil, cancelled
	}
	if c.inputs.length(item) == 0 {
		return dst, nil
	}
	heard, err := space.listen(c.model.media, int(c.model.description.Context), dst, c.inputs.item(item))
	if err != nil {
		return nil, faultOf(err).at(item)
	}
	return heard, nil
}

// listen appends the patches of a file, as far as the context reaches.
func (l *listening) listen(m *media, context int, dst []float32, file []byte) ([]float32, error) {
	recording, err := sound.Decode(file, m.limits.audio())
	if err != nil {
		return nil, err
	}
	var resampler *sound.Resampler
	if recording.Rate != m.rate {
		if resampler, err = m.resampler(recording.Rate); err != nil {
			return nil, err
		}
	}
	return l.hear(m, context, dst, recording.Samples, resampler), nil
}

// hear appends the patches of samples, as far as the context reaches. A nil resampler is for samples at the model's rate.
func (l *listening) hear(m *media, context int, dst, samples []float32, resampler *sound.Resampler) []float32 {
	reach := m.analyzer.Reach(context)
	if resampler != nil {
		l.samples = resampler.Append(l.samples[:0], samples, reach)
		samples = l.samples
	}
	return m.analyzer.Patches(dst, samples[:min(len(samples), reach)], context)
}

func (m audioFiles) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) (f *fault) {
	space.heard = space.heard[:0]
	for i := begin; i < end; i++ {
		if c.recordings.kept != nil && c.recordings.kept[i] != nil {
			space.parts = append(space.parts, c.recordings.kept[i])
			continue
		}
		start := len(space.heard)
		if space.heard, f = c.decode(space, space.heard, i); f != nil {
			return f
		}
		part := space.heard[start:]
		space.parts = append(space.parts, part)
		c.lengths[i] = len(part) / c.model.media.analyzer.Size()
	}
	return c.encodePatches(m, space, begin, end, embeddings, states)
}

func (audioFiles) patches(_ *encodeCall, space *workspace, item int) ([]float32, *fault) {
	return space.parts[item-space.source.begin], nil
}
