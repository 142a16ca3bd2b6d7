//go:build linux && !uform_portable

package bench_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
)

// A verb that is called through the table of a shared library allocates nothing.
func TestTheTableAllocatesNothing(t *testing.T) {
	l := openLibrary(t, loadertest.Need(t))
	box := newDescribing(t, newArena(t, l))
	require.Zero(t, testing.AllocsPerRun(1000, func() { l.ArenaDescribe(&box.arguments) }))
}

// Nor does a call of the model, with a context that never ends and a tape that is ready.
func TestABlockingCallAllocatesNothing(t *testing.T) {
	for name, texts := range map[string]uform.Tape{"nothing": {}, "texts": uform.Strings([]string{"a cat", "", "on a mat"})} {
		t.Run(name, func(t *testing.T) {
			encode := encoding(t, texts)
			encode()
			require.Zero(t, testing.AllocsPerRun(1000, encode))
		})
	}
}
