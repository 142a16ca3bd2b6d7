package mpi_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/internal/mpi"
	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
)

// which reports what was loaded.
func which(w *worker) {
	path, version := w.Library()
	w.report("%s", path)
	w.report("%s", version)
}

// libraryOf is the path of the library that a launcher's processes load by themselves, and what it
// says of itself.
func libraryOf(t *testing.T, launcher mpitest.Launcher) (path, version string) {
	t.Helper()
	reports, said, err := launch(t, launcher, 2, "which")
	require.NoError(t, err, said)
	require.Len(t, reports[0], 2, "%q", reports[0])
	require.Equal(t, reports[0], reports[1])
	return reports[0][0], reports[0][1]
}

// A launcher's processes find the library of that launcher, whichever others there are, and refuse
// another one that is named.
func TestLibraryOfLauncher(t *testing.T) {
	paths := map[string]string{}
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		path, version := libraryOf(t, launcher)
		require.True(t, filepath.IsAbs(path), path)
		require.Contains(t, version, launcher.Name)
		paths[launcher.Name] = path
	})
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		for name, path := range paths {
			t.Setenv(mpi.Variable, path)
			reports, said, err := launch(t, launcher, 2, "which")
			require.NoError(t, err, said)
			if name == launcher.Name {
				require.Equal(t, path, reports[1][0])
				continue
			}
			require.Len(t, reports[1], 1)
			require.Contains(t, reports[1][0], "join: UFORM_MPI names a library of no use: "+path+" is \""+name)
			require.Contains(t, reports[1][0], "started by a launcher whose processes meet through "+launcher.Name+": unsupported")
		}
	})
}

// What cannot be an MPI is refused by its fault, without a look at others.
func TestNamedLibrary(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "libmpi.so.40")
	require.NoError(t, os.WriteFile(text, []byte("not a library"), 0o600))
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		for name, want := range map[string]string{
			"":                               `UFORM_MPI names "": it has to be an absolute path: unsupported`,
			"libmpi.so":                      `UFORM_MPI names "libmpi.so": it has to be an absolute path: unsupported`,
			filepath.Join(folder, "missing"): "missing: no such file or directory: unsupported",
			text:                             `not a shared library: it starts with "not a library": unsupported`,
			"/proc/self/exe":                 "unsupported",
			mathLibrary(t):                   "it lacks MPI_",
		} {
			t.Setenv(mpi.Variable, name)
			reports, said, err := launch(t, launcher, 1, "which")
			require.NoError(t, err, said)
			require.Len(t, reports[0], 1)
			require.Contains(t, reports[0][0], want)
		}
	})
}

// mathLibrary is a library that is no MPI.
func mathLibrary(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/lib/*/libm.so.6")
	require.NoError(t, err)
	found = append(found, "/lib64/libm.so.6")
	return found[0]
}

// A library that speaks the standard's ABI is called in it, and one of a draft is not.
func TestStandardABI(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in needs the dynamic linker of Linux")
	}
	folder := t.TempDir()
	standard, draft := filepath.Join(folder, "libmpi_abi.so.0"), filepath.Join(folder, "libmpi_draft.so.0")
	loadertest.Compile(t, standard, filepath.Join("testdata", "standard.c"))
	loadertest.Compile(t, draft, "-DMAJOR=4", filepath.Join("testdata", "standard.c"))
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		path, version := libraryOf(t, launcher)
		if !strings.HasPrefix(version, "MPICH") {
			return // the stand-in stands on MPICH
		}
		t.Setenv("UFORM_TEST_MPICH", path)
		t.Setenv(mpi.Variable, standard)
		finished(t, launcher, 2, "which", standard, version)
		finished(t, launcher, 3, "bits", "same")
		t.Setenv(mpi.Variable, draft)
		reports, said, err := launch(t, launcher, 1, "which")
		require.NoError(t, err, said)
		require.Contains(t, reports[0][0], "it speaks version 1 of MPI's standard ABI in MPI 4: 1, in MPI 5, is known: unsupported")
	})
}
