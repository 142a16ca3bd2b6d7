//go:build linux

package bench_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/internal/native"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/platform"
)

// library is a shared library, opened by the loader and by manual symbol lookup.
type library struct {
	*abi.Library
	handle uintptr
}

func openLibrary(t testing.TB, path string) library {
	t.Helper()
	opened, err := loader.Open(&loader.Options{Path: path})
	require.NoError(t, err)
	handle, err := native.Open(path)
	require.NoError(t, err)
	return library{opened.Table, handle}
}

// symbol returns a function's address.
func (l library) symbol(t testing.TB, name string) uintptr {
	t.Helper()
	address, err := native.Symbol(l.handle, name)
	require.NoError(t, err)
	return address
}

var made struct {
	sync.Once
	library
}

// measuring returns the library of testdata/library.c.
func measuring(t testing.TB) library {
	t.Helper()
	made.Do(func() {
		path := filepath.Join(t.TempDir(), platform.LibraryNames()[0])
		loadertest.Compile(t, path, filepath.Join("testdata", "library.c"), filepath.Join("crossing", "nothing.c"))
		made.library = openLibrary(t, path)
	})
	if made.Library == nil {
		t.Skip(loadertest.ErrNoCompiler)
	}
	return made.library
}

// loop calls a verb in C, as many times as given. The arguments are on the heap and pinned.
func loop(t testing.TB) func(verb, arguments uintptr, count int) {
	address := measuring(t).symbol(t, "bench_loop")
	return func(verb, arguments uintptr, count int) { purego.SyscallN(address, verb, arguments, uintptr(count)) }
}
