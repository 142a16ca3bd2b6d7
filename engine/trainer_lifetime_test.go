package engine_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// After a step, successful or not, nothing refers to its inputs.
func TestStepsLetGoOfTheirItems(t *testing.T) {
	w := newWorld(t)
	executor := w.executor(2, abi.CallerInclusive)
	id := w.trainer(executor, seeing())
	picture := drawnPNG(t, 1, 20, 20)
	given := func(status abi.Status, items ...string) weak.Pointer[byte] {
		s := w.stepping(id, executor, 0, items...)
		s.modalities[0], s.modalities[1] = abi.ModalityImage, abi.ModalityImage
		w.TrainerStep(&s.TrainerStep)
		require.Equal(t, status, s.outcome.Status)
		return weak.Make((*byte)(s.Contents.Data))
	}
	succeeded := given(abi.StatusSuccess, picture, drawnPNG(t, 2, 30, 10))
	failed := given(abi.StatusMalformed, picture, "no picture")
	runtime.GC()
	runtime.GC()
	require.Nil(t, succeeded.Value())
	require.Nil(t, failed.Value())
	w.steps(w.stepping(id, executor, 0, pairs...))
}
