package engine

import (
	"slices"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// audioScratch is the working memory of recordings.
type audioScratch struct {
	samples []float32   // one recording at the model's rate
	decoded []float32   // the patches of a slice's recordings
	parts   [][]float32 // those of each
}

// recordings are the fields that only calls of recordings have.
type recordings struct {
	reserved uint32
	// The samples of audio_encode_samples, their rate, and the resampler to the model's rate, nil
	// if none is needed.
	samples   []float32
	rate      uint32
	resampler *sound.Resampler
	// What the prescan of audio_encode decoded, so that it is not decoded again, and how many
	// scalars that is.
	kept [][]float32
	size atomic.Int64
}

// keptScalars bounds what a prescan keeps: 64 MiB. Recordings beyond that are decoded twice.
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

// measure leaves the lengths to a prescan, since only decoding gives them, or, if no states are
// requested, to encode.
func (audioFiles) measure(c *encodeCall) *fault {
	c.cut(len(c.lengths), sliceFiles, func(int) int { return 0 })
	if c.states.asked {
		c.recordings.kept = make([][]float32, len(c.lengths))
		c.prescanner = c
	}
	return nil
}

// prescan finds the lengths of some recordings, and keeps their patches while there is room.
func (audioFiles) prescan(c *encodeCall, space *workspace, begin, end int) (f *fault) {
	for i := begin; i < end; i++ {
		if space.decoded, f = c.decode(space, space.decoded[:0], i); f != nil {
			return f
		}
		c.lengths[i] = len(space.decoded) / c.model.media.analyzer.Size()
		if c.recordings.size.Add(int64(len(space.decoded))) <= c.library.keptScalars {
			c.recordings.kept[i] = slices.Clone(space.decoded)
		}
	}
	return nil
}

// prescanned keeps the slices: each file is one.
func (audioFiles) prescanned(*encodeCall) {}

// decode appends the patches of a file, none for a file without sound.
func (c *encodeCall) decode(space *workspace, dst []float32, item int) ([]float32, *fault) {
	if c.stop != nil && c.stop() {
		return nil, cancelled
	}
	if c.inputs.length(item) == 0 {
		return dst, nil
	}
	decoded, err := space.patchFile(c.model.media, int(c.model.description.Context), dst, c.inputs.item(item))
	if err != nil {
		return nil, faultOf(err).at(item)
	}
	return decoded, nil
}

// patchFile appends the patches of a file, as many as the context holds.
func (l *audioScratch) patchFile(m *media, context int, dst []float32, file []byte) ([]float32, error) {
	recording, err := decodeRecording(file, m.limits.audio())
	if err != nil {
		return nil, err
	}
	var resampler *sound.Resampler
	if recording.Rate != m.rate {
		if resampler, err = m.resampler(recording.Rate); err != nil {
			return nil, err
		}
	}
	return l.patchSamples(m, context, dst, recording.Samples, resampler), nil
}

// patchSamples appends the patches of samples, as many as the context holds. A nil resampler is for
// samples at the model's rate.
func (l *audioScratch) patchSamples(m *media, context int, dst, samples []float32, resampler *sound.Resampler) []float32 {
	reach := m.analyzer.Reach(context)
	if resampler != nil {
		l.samples = resampler.Append(l.samples[:0], samples, reach)
		samples = l.samples
	}
	return m.analyzer.Patches(dst, samples[:min(len(samples), reach)], context)
}

func (m audioFiles) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) (f *fault) {
	space.decoded = space.decoded[:0]
	for i := begin; i < end; i++ {
		if c.recordings.kept != nil && c.recordings.kept[i] != nil {
			space.parts = append(space.parts, c.recordings.kept[i])
			continue
		}
		start := len(space.decoded)
		if space.decoded, f = c.decode(space, space.decoded, i); f != nil {
			return f
		}
		part := space.decoded[start:]
		space.parts = append(space.parts, part)
		c.lengths[i] = len(part) / c.model.media.analyzer.Size()
	}
	return c.encodePatches(m, space, begin, end, embeddings, states)
}

func (audioFiles) patches(_ *encodeCall, space *workspace, item int) ([]float32, *fault) {
	return space.parts[item-space.source.begin], nil
}
