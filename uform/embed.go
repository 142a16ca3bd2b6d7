package uform

import (
	"context"

	"github.com/unum-cloud/uform-go/errors"
)

// Embed answers one embedding for each text, a copy that is the caller's: EmbeddingColumns floats of unit length. It is the short
// way for programs without an executor or an arena of their own, and works on the calling goroutine's thread. A text longer than
// the model's context counts by its head. A model in device memory needs an executor, so it cannot. Goroutines may call it at once.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if m == nil {
		return nil, errors.New(encodingTexts, errors.ErrInvalidArgument, errors.NoItem, errNoModel)
	}
	into, err := m.borrowArena()
	if err != nil {
		return nil, err
	}
	defer m.arenas.Put(into)
	encoded, err := m.TextEncode(ctx, Strings(texts), into, nil)
	if err != nil {
		return nil, err
	}
	return encoded.Embeddings.Copy()
}

func (m *Model) borrowArena() (*Arena, error) {
	if into, ok := m.arenas.Get().(*Arena); ok {
		return into, nil
	}
	return m.library.NewArena(nil)
}
