// Package foldertest reads the small random models of internal/folder/testdata, and what the
// reference implementations say of them, for tests of several packages.
package foldertest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Golden is what a reference says of a folder: testdata/golden.py explains it.
type Golden struct {
	// Base is the folder that this one is laid over, less the files of Without.
	Base    string
	Without []string
	Cases   []Case
	States  []States
	// Pictures are what becomes of pictures.
	Pictures []Picture
}

// Case is a text and what becomes of it.
type Case struct {
	Text      string
	Prompt    string // empty for the default
	IDs       []int32
	Embedding []float32
	End       *int // where a text was cut, in bytes
}

// Picture is a picture and what becomes of it.
type Picture struct {
	Picture   string // its name
	Crop      uint32 // CRC-32 of its pixels once it is resized and cut
	Embedding []float32
	Rows      int
	States    []float32
}

// States are some rows of the last hidden states of a case, end to end.
type States struct {
	Case   int
	Rows   []int
	Values []float32
}

// Read reads a folder of testdata, which is the path of that folder.
func Read(t testing.TB, testdata, name string) (fstest.MapFS, *Golden) {
	files, golden := fstest.MapFS{}, &Golden{}
	root := os.DirFS(filepath.Join(testdata, name))
	text, err := fs.ReadFile(root, "golden.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, golden))
	if golden.Base != "" {
		files, _ = Read(t, testdata, golden.Base)
		for _, file := range golden.Without {
			require.Contains(t, files, file)
			delete(files, file)
		}
	}
	require.NoError(t, fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == "golden.json" {
			return err
		}
		data, err := fs.ReadFile(root, path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	}))
	return files, golden
}

// Copy writes a folder that [Read] reads to a temporary one, and returns its path.
func Copy(t testing.TB, testdata, name string) (path string, golden *Golden) {
	files, golden := Read(t, testdata, name)
	path = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.CopyFS(path, files))
	return path, golden
}

// Names returns the names of all folders of testdata.
func Names(t testing.TB, testdata string) (names []string) {
	found, err := filepath.Glob(filepath.Join(testdata, "*", "golden.json"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, path := range found {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	return names
}
