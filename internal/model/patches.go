package model

import (
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Patches are a batch of items whose tokens are patches: pictures, clips or recordings.
type Patches struct {
	// Modality is [abi.ModalityImage], [abi.ModalityVideo] or [abi.ModalityAudio].
	Modality abi.Modality
	// Lengths are the tokens of each item: 0 for an empty one, otherwise the number that [Config]
	// gives for pictures and clips, and at most the context for recordings.
	Lengths []int
	// Source returns the patches themselves.
	Source Source
}

// Source returns the patches of one item after the other, when they are needed, so that memory
// holds those of one item only.
type Source interface {
	// Patches returns the patches of an item that is not empty, as vectors end to end:
	// [Image.PatchSize] or [Audio.PatchSize] scalars for each of its tokens, all finite. They are
	// read before the next call, and never written to. An error ends the call, which returns it
	// unchanged.
	Patches(item int) ([]float32, error)
}

// EncodePatches embeds pictures, clips or recordings, as [Model.Encode] embeds texts: embeddings,
// states, stop and errors are the same, except that there is no lexical lane and that states have a
// row for each token. A model without the modality is [errors.ErrUnsupported], invalid lengths and
// patches are [errors.ErrInvalidArgument].
func (m *Model) EncodePatches(s *Scratch, patches *Patches, embeddings, states []float32, stop func() bool) error {
	s.batch = batch{count: len(patches.Lengths), patches: patches}
	in := &s.batch
	switch {
	case patches.Modality == abi.ModalityImage && m.description.Modalities>>abi.ModalityImage&1 != 0:
		in.patchSize, in.packed = m.config.Image.PatchSize(), m.imagePatches
	case patches.Modality == abi.ModalityVideo && m.description.Modalities>>abi.ModalityVideo&1 != 0:
		in.patchSize, in.packed = m.config.Image.PatchSize(), m.imagePatches
	case patches.Modality == abi.ModalityAudio && m.description.Modalities>>abi.ModalityAudio&1 != 0:
		in.patchSize, in.packed = m.config.Audio.PatchSize(), m.audioPatches
	default:
		return fmt.Errorf("the model has no %v: %w", patches.Modality, errors.ErrUnsupported)
	}
	for item, length := range patches.Lengths {
		if length != 0 && !m.takes(patches.Modality, length) {
			return fmt.Errorf("item %d has %d patches, which does not fit the model for %v: %w",
				item, length, patches.Modality, errors.ErrInvalidArgument)
		}
	}
	return m.encode(s, embeddings, states, stop)
}

// takes reports whether an item may have that many tokens.
func (m *Model) takes(modality abi.Modality, length int) bool {
	switch modality {
	case abi.ModalityImage:
		return length == m.config.Image.Tokens()
	case abi.ModalityVideo:
		return length == m.config.Video.Frames*m.config.Image.Tokens()
	}
	return 0 < length && length <= m.config.Context
}

// readPatches computes the input rows of one item of patches, and their mean, as readText does
// for a text.
func (m *Model) readPatches(s *Scratch, in *batch, item int, rows []float32, span trunk.Span, mean []float32) error {
	if err := trunk.Stopped(in.stop); err != nil {
		return err
	}
	vectors, err := in.patches.Source.Patches(item)
	if err != nil {
		return err
	}
	if len(vectors) != span.Length*in.patchSize {
		return fmt.Errorf("item %d has %d scalars in its patches instead of %d of %d: %w",
			item, len(vectors), span.Length, in.patchSize, errors.ErrInvalidArgument)
	}
	d := m.config.Width
	if rows == nil {
		rows = s.trunk.Hidden(span.Length, d)
	} else {
		rows = rows[span.Start*d:][:span.Length*d]
	}
	in.packed.Product(rows, d, vectors, in.patchSize, span.Length)
	for i := range span.Length {
		m.place(rows[i*d:(i+1)*d], in.patches.Modality, i)
	}
	if mean != nil {
		sum := grow(&s.sum, d)
		clear(sum)
		kernel.Accumulate(sum, rows)
		divide(mean, sum, span.Length)
	}
	return nil
}

// place adds to a token its position in its picture, and its frame in the clip.
func (m *Model) place(row []float32, modality abi.Modality, token int) {
	if modality == abi.ModalityAudio {
		return
	}
	inPicture := m.config.Image.Tokens()
	m.imagePositions.add(row, token%inPicture)
	if modality == abi.ModalityVideo {
		m.videoTimes.add(row, token/inPicture)
	}
}

// loadPatches takes the tensors of pictures, clips and recordings.
func (m *Model) loadPatches(l *loader) {
	c := &m.config
	if c.Image != nil {
		m.imagePatches = l.packed("image.patches", c.Width, c.Image.PatchSize())
		m.imagePositions = l.table("image.positions", c.Image.Tokens(), c.Width)
	}
	if c.Video != nil {
		m.videoTimes = l.table("video.times", c.Video.Frames, c.Width)
	}
	if c.Audio != nil {
		m.audioPatches = l.packed("audio.patches", c.Width, c.Audio.PatchSize())
	}
}

// patchesBytes returns the memory of those tensors.
func (m *Model) patchesBytes() int {
	bytes := m.imagePositions.size() + m.videoTimes.size()
	for _, packed := range []*kernel.Packed{m.imagePatches, m.audioPatches} {
		if packed != nil {
			bytes += packed.Bytes()
		}
	}
	return bytes
}
