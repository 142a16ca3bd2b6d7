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

// A part that is let go is read again, and pages of no file keep what is in them.
func TestLetGoLosesNothing(t *testing.T) {
	page := platform.PageSize()
	written := make([]byte, 3*page+5)
	for i := range written {
		written[i] = byte(i / 7)
	}
	mapping, err := platform.MapFile(writeFile(t, written))
	require.NoError(t, err)
	for _, part := range [][2]int{{0, len(written)}, {1, page}, {page - 1, 2*page + 1}, {3 * page, len(written)}, {5, 5}, {page, 9 * page}} {
		mapping.LetGo(part[0], part[1])
		require.Equal(t, written, mapping.Bytes())
	}
	require.NoError(t, mapping.Close())
	mapping.LetGo(0, len(written))
	pages, err := platform.MapPages(2 * page)
	require.NoError(t, err)
	defer pages.Close()
	pages.Bytes()[page] = 7
	pages.LetGo(0, 2*page)
	require.EqualValues(t, 7, pages.Bytes()[page])
}
