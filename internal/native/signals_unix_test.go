//go:build unix

package native_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/native"
)

// What a library takes between the two calls is taken back.
func TestKeepSignals(t *testing.T) {
	handle := opened(t)
	var take, has func(number int32) int32
	native.RegisterLibFunc(&take, handle, "uform_test_take")
	native.RegisterLibFunc(&has, handle, "uform_test_has")
	const number = int32(syscall.SIGUSR2)
	restore := native.KeepSignals()
	require.EqualValues(t, 0, has(number))
	require.EqualValues(t, 1, take(number))
	require.EqualValues(t, 1, has(number))
	restore()
	require.EqualValues(t, 0, has(number))
}
