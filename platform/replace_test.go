package platform_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

func TestReplaceFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	put := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	require.NoError(t, platform.ReplaceFile(path, put("old")))
	require.NoError(t, platform.ReplaceFile(path, put("new")))

	refused := errors.New("refused")
	err := platform.ReplaceFile(path, func(w io.Writer) error {
		require.NoError(t, put("half of it")(w))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "new", string(content), "while another file is written")
		return refused
	})
	require.ErrorIs(t, err, refused)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
	require.Error(t, platform.ReplaceFile(folder, put("a folder")))
	require.Error(t, platform.ReplaceFile(filepath.Join(folder, "none", "file"), put("no folder")))

	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside the file")
}
