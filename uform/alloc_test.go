package uform_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// A steady loop with a Background context and a ready tape allocates nothing.
func TestBlockingCallsAllocateNothing(t *testing.T) {
	f := newFixture(t, heldOptions)
	texts := uform.Strings(someTexts)
	options := &uform.TextOptions{Outputs: uform.Embeddings | uform.States}
	encode := func() {
		if _, err := f.model.On(f.executor).TextEncode(background, texts, f.arena, options); err != nil {
			panic(err)
		}
	}
	encode()
	require.Zero(t, testing.AllocsPerRun(100, encode))

	choices := uform.Strings([]string{"ab", "cd", "e"})
	choose := func() {
		if _, err := f.model.TextChoose(background, texts, choices, f.arena, nil); err != nil {
			panic(err)
		}
	}
	choose()
	require.Zero(t, testing.AllocsPerRun(100, choose))
}
