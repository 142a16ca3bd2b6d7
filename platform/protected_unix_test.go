//go:build unix

package platform_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

func TestProtected(t *testing.T) {
	cases := map[string]struct {
		file, folder, linkFolder os.FileMode
		protected                bool
	}{
		"owner alone":             {0o644, 0o755, 0o755, true},
		"group too":               {0o664, 0o775, 0o775, true},
		"file for everybody":      {0o666, 0o755, 0o755, false},
		"folder for everybody":    {0o644, 0o777, 0o755, false},
		"sticky folder":           {0o644, 0o777 | os.ModeSticky, 0o755, false},
		"link's folder":           {0o644, 0o755, 0o777, false},
		"link's folder is sticky": {0o644, 0o755, 0o777 | os.ModeSticky, false},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			folder, linkFolder := t.TempDir(), t.TempDir()
			path, link := filepath.Join(folder, "libuform.so"), filepath.Join(linkFolder, "libuform.so")
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			require.NoError(t, os.Symlink(path, link))
			for place, mode := range map[string]os.FileMode{path: test.file, folder: test.folder, linkFolder: test.linkFolder} {
				require.NoError(t, os.Chmod(place, mode))
			}
			err := platform.Protected(link)
			if test.protected {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "everybody may write")
			}
		})
	}
	require.ErrorIs(t, platform.Protected(filepath.Join(t.TempDir(), "missing")), os.ErrNotExist)
}
