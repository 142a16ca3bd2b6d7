package engine

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// samples is the medium of audio_encode_samples.
type samples struct{}

// audioEncodeSamples implements [abi.Library.AudioEncodeSamples].
func (l *library) audioEncodeSamples(a *abi.AudioEncodeSamples) {
	if a != nil {
		c := l.newEncoding(samples{}, encodeArguments{
			model: a.Model, executor: a.Executor, arena: a.Arena, outcome: a.Outcome,
			completion: a.Completion, scalar: a.Scalar, items: a.Samples, count: a.Count,
			progress: a.Progress, progressState: a.ProgressState,
			embeddings: a.Embeddings, states: a.States,
		})
		c.recordings.rate, c.recordings.reserved = a.SampleRate, a.Reserved
		c.submit(a.Completion, c.check())
	}
}

func (samples) items() string { return "samples" }

func (samples) modality() abi.Modality { return abi.ModalityAudio }

func (samples) admit(c *encodeCall) *fault {
	switch {
	case c.recordings.reserved != 0:
		return reservedSet
	case c.recordings.rate > sound.HighestRate:
		return refuse(abi.StatusInvalidArgument, "the sample rate is above %d Hz", sound.HighestRate)
	}
	return nil
}

func (samples) open(c *encodeCall) (f *fault) {
	const size = 4
	view, count := c.arguments.items, c.arguments.count
	if c.inputs.bounds, f = c.bounds("samples", view, count, size); f == nil && count > 0 {
		c.recordings.samples = view.Floats(c.inputs.bounds[count])
	}
	return f
}

// of returns the samples of an item.
func (samples) of(c *encodeCall, item int) []float32 {
	return c.recordings.samples[c.inputs.bounds[item]:c.inputs.bounds[item+1]]
}

func (m samples) measure(c *encodeCall) (f *fault) {
	for i := range c.lengths {
		for _, sample := range m.of(c, i) {
			if !sound.Usable(sample) {
				return refuse(abi.StatusMalformed, "a sample is NaN, or beyond 2^32 where full scale is 1").at(i)
			}
		}
	}
	media, context := c.model.media, int(c.model.description.Context)
	if rate := int(c.recordings.rate); rate != 0 && rate != media.rate {
		resampler, err := media.resampler(rate)
		if err != nil {
			return faultOf(err)
		}
		c.recordings.resampler = resampler
	}
	for i := range c.lengths {
		count := c.inputs.length(i)
		if c.recordings.resampler != nil {
			count = c.recordings.resampler.Length(count)
		}
		c.lengths[i] = min(media.analyzer.Count(count), context)
	}
	c.cut(len(c.lengths), sliceFiles, func(item int) int { return c.lengths[item] })
	return nil
}

func (m samples) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) *fault {
	return c.encodePatches(m, space, begin, end, embeddings, states)
}

func (m samples) patches(c *encodeCall, space *workspace, item int) ([]float32, *fault) {
	space.decoded = space.patchSamples(c.model.media, int(c.model.description.Context), space.decoded[:0], m.of(c, item), c.recordings.resampler)
	return space.decoded, nil
}
