package loader_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/platform"
)

// stub is a fresh file with a libuform that has the faults which testdata/stub.c offers, under a
// name that the search knows.
func stub(t testing.TB, faults ...string) string {
	t.Helper()
	path := filepath.Join(loadertest.Folder(t), platform.LibraryNames()[0])
	writeStub(t, path, faults...)
	return path
}

// needNative skips a test where this build loads no shared libraries; TestUnsupported tells what it
// does instead.
func needNative(t testing.TB) {
	t.Helper()
	if err := platform.Unsupported(); err != nil {
		t.Skip(err)
	}
}

// stubs are the files by their faults: a test needs a file of its own, but not a compilation.
var stubs = map[string][]byte{}

func writeStub(t testing.TB, path string, faults ...string) {
	t.Helper()
	needNative(t)
	key := strings.Join(faults, " ")
	if stubs[key] == nil {
		built := filepath.Join(t.TempDir(), platform.LibraryNames()[0])
		compileStub(t, built, faults)
		content, err := os.ReadFile(built)
		require.NoError(t, err)
		stubs[key] = content
	}
	require.NoError(t, os.WriteFile(path, stubs[key], 0o755))
}

func compileStub(t testing.TB, path string, faults []string) {
	t.Helper()
	folder := t.TempDir()
	arguments := []string{"-I", folder, filepath.Join("testdata", "stub.c")}
	for _, fault := range faults {
		arguments = append(arguments, "-D"+fault)
	}
	var facts strings.Builder
	for _, fact := range abi.Measured() {
		if fact.Field == "" {
			fmt.Fprintf(&facts, "FACT_TYPE(%s)\n", fact.Struct)
		} else {
			fmt.Fprintf(&facts, "FACT_FIELD(%s, %s)\n", fact.Struct, fact.Field)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "facts.h"), []byte(facts.String()), 0o600))
	loadertest.Compile(t, path, arguments...)
}

// open opens a library that has to be usable.
func open(t testing.TB, path string) *loader.Library {
	t.Helper()
	library, err := loader.Open(&loader.Options{Path: path})
	require.NoError(t, err)
	return library
}

// counts are how many arenas a stub has made and freed.
func counts(library *loader.Library) (made, freed uint64) {
	library.Table.Capabilities(&made, &freed)
	return made, freed
}
