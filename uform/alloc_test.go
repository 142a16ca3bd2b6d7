package uform_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// offsetsCopied is the number of allocations of a tape in a call: if size_t has 32 bits, the
// offsets are copied for C.
var offsetsCopied = float64(1 - bits.UintSize/64)

// A steady loop with a Background context and a ready tape allocates nothing else.
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
	require.Equal(t, offsetsCopied, testing.AllocsPerRun(100, encode))

	choices := uform.Strings([]string{"ab", "cd", "e"})
	choose := func() {
		if _, err := f.model.TextChoose(background, texts, choices, f.arena, nil); err != nil {
			panic(err)
		}
	}
	choose()
	require.Equal(t, 2*offsetsCopied, testing.AllocsPerRun(100, choose))
}
