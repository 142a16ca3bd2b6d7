package platform_test

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// writeFile is the path of a fresh file that holds content.
func writeFile(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}

func TestMapFile(t *testing.T) {
	page := platform.PageSize()
	for _, size := range []int{0, 1, page - 1, page, page + 1, 3*page + 7} {
		content := bytes.Repeat([]byte("uform"), size/5+1)[:size]
		path := writeFile(t, content)
		mapping, err := platform.MapFile(path)
		require.NoError(t, err)
		require.Equal(t, string(content), string(mapping.Bytes()))
		require.NoError(t, mapping.Close())
		require.Empty(t, mapping.Bytes())
		require.NoError(t, mapping.Close(), "closing twice")

		file, err := os.Open(path)
		require.NoError(t, err)
		read, _, err := platform.ReadFile(file, size)
		require.NoError(t, err)
		require.Equal(t, string(content), string(read), "where files cannot be mapped")
		_, _, err = platform.ReadFile(file, 1)
		require.Error(t, err, "a file that became shorter")
		require.NoError(t, file.Close())
	}
}

func TestMapFileRefuses(t *testing.T) {
	folder := t.TempDir()
	for name, path := range map[string]string{
		"folder":  folder,
		"missing": filepath.Join(folder, "missing"),
		"empty":   "",
		"zero":    "a\x00b",
	} {
		t.Run(name, func(t *testing.T) {
			mapping, err := platform.MapFile(path)
			require.Nil(t, mapping)
			var inner *fs.PathError
			require.ErrorAs(t, err, &inner)
			require.Equal(t, path, inner.Path)
			if name == "missing" {
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
		})
	}
}

func TestMapPages(t *testing.T) {
	page := platform.PageSize()
	require.Positive(t, page)
	require.Zero(t, page&(page-1), "a power of two")
	for _, size := range []int{0, 1, page, page + 1, 1 << 20} {
		mapping, err := platform.MapPages(size)
		require.NoError(t, err)
		memory := mapping.Bytes()
		require.Len(t, memory, (size+page-1)/page*page)
		require.Zero(t, abi.Address(memory)%uintptr(min(page, 4096)), "pages begin at a page")
		for i := range memory {
			require.Zero(t, memory[i])
			memory[i] = byte(i)
		}
		require.NoError(t, mapping.Close())
		require.NoError(t, mapping.Close())
	}
}

func TestMapPagesRefuses(t *testing.T) {
	_, err := platform.MapPages(-1)
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	_, err = platform.MapPages(math.MaxInt)
	require.ErrorIs(t, err, errors.ErrOutOfMemory, "no room for rounding up")

	// The address space of every system is smaller than 2^52 bytes, and of a 32-bit one than five
	// mappings of 1 GiB.
	size := 1 << 30
	if math.MaxInt > math.MaxInt32 {
		size = math.MaxInt >> 11
	}
	for range 5 {
		var mapping *platform.Mapping
		if mapping, err = platform.MapPages(size); err != nil {
			break
		}
		defer mapping.Close()
	}
	require.ErrorIs(t, err, errors.ErrOutOfMemory)

	if math.MaxInt > math.MaxInt32 { // on smaller systems every size could be held by some heap
		_, err = platform.Allocate(math.MaxInt)
		require.Error(t, err)
	}
}

func TestMappingCloseConcurrently(t *testing.T) {
	require.NoError(t, (*platform.Mapping)(nil).Close())
	mapping, err := platform.MapPages(1)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			mapping.Bytes()
			if err := mapping.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
