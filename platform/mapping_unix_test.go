//go:build unix

package platform_test

import (
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
	"golang.org/x/sys/unix"
)

func TestMapFileIsReadOnly(t *testing.T) {
	mapping, err := platform.MapFile(writeFile(t, []byte("weights")))
	require.NoError(t, err)
	defer mapping.Close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	require.Panics(t, func() { mapping.Bytes()[0] = 'W' })
}

// A pipe without a writer would block whoever opens it.
func TestMapFileRefusesPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	_, err := platform.MapFile(path)
	require.ErrorContains(t, err, "not a regular file")
	require.ErrorContains(t, platform.Inspect(path), "not a regular file")
}
