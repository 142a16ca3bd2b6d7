//go:build unix

package folder_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/platform"
)

// mapped is a folder on disk whose weights are mapped.
type mapped struct {
	fs.FS
	root string
	// opened is called with the path of a file that was mapped.
	opened func(path string)
}

func (m mapped) Map(name string) ([]byte, error) {
	path := filepath.Join(m.root, name)
	mapping, err := platform.MapFile(path) // until the process ends
	if err != nil {
		return nil, err
	}
	m.opened(path)
	return mapping.Bytes(), nil
}

// A file of weights that is cut short while it is read ends the load with an error, on whichever
// goroutine the memory fault is.
func TestAFileThatIsTruncatedMeanwhile(t *testing.T) {
	files, _ := goldenFolder(t, "bert")
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, files))
	m := mapped{os.DirFS(root), root, func(string) {}}
	_, err := folder.Open(m, nil)
	require.NoError(t, err)

	_, err = folder.Open(m, &folder.Options{Progress: func(done, total uint64) bool {
		if done == 0 { // the header was read
			require.NoError(t, os.Truncate(filepath.Join(root, weights), 4096))
		}
		return true
	}})
	require.ErrorIs(t, err, errors.ErrIO)
	require.ErrorContains(t, err, "truncated")

	require.NoError(t, os.CopyFS(filepath.Join(root, "again"), files))
	root = filepath.Join(root, "again")
	m = mapped{os.DirFS(root), root, func(path string) { require.NoError(t, os.Truncate(path, 0)) }}
	_, err = folder.Open(m, nil)
	require.ErrorIs(t, err, errors.ErrIO)
}

// letting is a mapped folder that is told what it may let go.
type letting struct {
	mapped
	mapping *platform.Mapping
	mutex   sync.Mutex
	bytes   int
}

func (l *letting) Map(name string) (bytes []byte, err error) {
	if l.mapping, err = platform.MapFile(filepath.Join(l.root, name)); err != nil {
		return nil, err
	}
	return l.mapping.Bytes(), nil
}

func (l *letting) LetGo(part []byte) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.bytes += len(part)
	begin := int(abi.Address(part) - abi.Address(l.mapping.Bytes()))
	l.mapping.LetGo(begin, begin+len(part))
}

// Tables and matrices are let go once they are read, and what is used later is still there.
func TestPartsOfFilesAreLetGo(t *testing.T) {
	files, golden := goldenFolder(t, "bert")
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, files))
	for _, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarI8} {
		source := &letting{mapped: mapped{FS: os.DirFS(root), root: root}}
		m, err := folder.Open(source, &folder.Options{Kind: kind})
		require.NoError(t, err)
		require.Greater(t, source.bytes, len(source.mapping.Bytes())/2)
		read, err := folder.Open(folder.Files(files), &folder.Options{Kind: kind})
		require.NoError(t, err)
		require.Equal(t, embed(t, read, golden.Cases[0].Text), embed(t, m, golden.Cases[0].Text))
		require.NoError(t, source.mapping.Close())
	}
}
