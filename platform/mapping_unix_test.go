//go:build unix

package platform_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

func TestMapFileIsReadOnly(t *testing.T) {
	mapping, err := platform.MapFile(writeFile(t, []byte("weights")))
	require.NoError(t, err)
	defer mapping.Close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	require.Panics(t, func() { mapping.Bytes()[0] = 'W' })
}
