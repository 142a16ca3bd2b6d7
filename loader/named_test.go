package loader_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/platform"
)

// requireFailure wants an error of Open that names source and path, and after which no engine
// stands in.
func requireFailure(t testing.TB, err error, status errors.Status, parts ...string) {
	t.Helper()
	var failure *errors.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, status, failure.Status, "%v", err)
	require.ErrorIs(t, err, status)
	for _, part := range parts {
		require.ErrorContains(t, err, part)
	}
	_, embedded := loader.Embedded(err)
	require.False(t, embedded, "what was named and fails is not replaced")
}

// A file that is no library for this process is refused before the system's loader sees it.
func TestOpenNamedFile(t *testing.T) {
	good := stub(t)
	whole, err := os.ReadFile(good)
	require.NoError(t, err)
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, content, 0o755))
		return path
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for name, test := range map[string]struct{ path, reason string }{
		"missing":                 {filepath.Join(folder, "missing.so"), ""},
		"folder":                  {folder, "not a regular file"},
		"text":                    {write("text.so", []byte("not a library at all")), "not a shared library"},
		"empty file":              {write("empty.so", nil), "empty"},
		"header alone":            {write("header.so", whole[:100]), ""},
		"half":                    {write("half.so", whole[:len(whole)/2]), "truncated"},
		"all but the last byte":   {write("most.so", whole[:len(whole)-1]), "truncated"},
		"program":                 {program, "not a shared library"},
		"name with a NUL":         {good + "\x00", "invalid argument"},
		"dangling symbolic links": {filepath.Join(folder, "dangling.so"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "dangling symbolic links" {
				require.NoError(t, os.Symlink(filepath.Join(folder, "nowhere"), test.path))
			}
			_, err := loader.Open(&loader.Options{Path: test.path})
			requireFailure(t, err, errors.ErrLibraryMissing, "the option Path names "+test.path, test.reason)

			if name == "name with a NUL" { // which no environment can hold
				return
			}
			t.Setenv(loader.Variable, test.path)
			_, err = loader.Open(nil)
			requireFailure(t, err, errors.ErrLibraryMissing, "UFORM_LIBRARY names "+test.path, test.reason)
		})
	}
	_, err = loader.Open(&loader.Options{Path: filepath.Join(folder, "missing.so")})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestOpenNamedForAnotherProcessor(t *testing.T) {
	compiler, processor := "aarch64-linux-gnu-gcc", "arm64"
	if runtime.GOARCH == "arm64" {
		compiler, processor = "x86_64-linux-gnu-gcc", "amd64"
	}
	if _, err := exec.LookPath(compiler); err != nil || runtime.GOOS != "linux" || !platform.Native {
		t.Skip("no cross compiler for Linux on this machine, or no loader in this build")
	}
	path := filepath.Join(t.TempDir(), "libuform.so")
	said, err := exec.Command(compiler, "-shared", "-fPIC", "-o", path, filepath.Join("..", "platform", "testdata", "small.c")).CombinedOutput()
	require.NoError(t, err, "%s", said)
	_, err = loader.Open(&loader.Options{Path: path})
	requireFailure(t, err, errors.ErrLibraryMissing, "built for "+processor+", but this process runs on "+runtime.GOARCH)
}

// What the system's own loader says survives.
func TestOpenNamedWithoutItsDependency(t *testing.T) {
	needNative(t)
	if runtime.GOOS != "linux" {
		t.Skip("whether a linker accepts an undefined function depends on the system")
	}
	path, source := filepath.Join(t.TempDir(), "libuform.so"), filepath.Join(t.TempDir(), "needs.c")
	require.NoError(t, os.WriteFile(source, []byte("int uform_test_nowhere(void);\n__attribute__((visibility(\"default\"))) int f(void) { return uform_test_nowhere(); }\n"), 0o600))
	loadertest.Compile(t, path, source)
	_, err := loader.Open(&loader.Options{Path: path})
	requireFailure(t, err, errors.ErrLibraryMissing, path, "uform_test_nowhere")
}

func TestOpenNamedByTheEnvironment(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		t.Setenv(loader.Variable, "")
		_, err := loader.Open(nil)
		requireFailure(t, err, errors.ErrLibraryMissing, "UFORM_LIBRARY is empty")
	})
	t.Run("embedded", func(t *testing.T) {
		t.Setenv(loader.Variable, loader.KindEmbedded)
		_, err := loader.Open(nil)
		require.ErrorIs(t, err, errors.ErrLibraryMissing)
		origin, embedded := loader.Embedded(err)
		require.True(t, embedded)
		require.Equal(t, loader.Origin{Kind: loader.KindEmbedded}, origin)
	})
	t.Run("embedded but native required", func(t *testing.T) {
		t.Setenv(loader.Variable, loader.KindEmbedded)
		_, err := loader.Open(&loader.Options{RequireNative: true})
		requireFailure(t, err, errors.ErrLibraryMissing, "RequireNative")
	})
	t.Run("a library", func(t *testing.T) {
		path := stub(t)
		t.Setenv(loader.Variable, path)
		library, err := loader.Open(nil)
		require.NoError(t, err)
		require.Equal(t, path, library.Origin.Path)
		require.Equal(t, "4.7.1", library.Origin.Version)
		require.Equal(t, loader.KindNative, library.Origin.Kind)
		require.Empty(t, library.Origin.Skipped)
	})
	t.Run("the option outranks it", func(t *testing.T) {
		path := stub(t)
		t.Setenv(loader.Variable, filepath.Join(t.TempDir(), "missing.so"))
		require.Equal(t, path, open(t, path).Origin.Path)
	})
}

// A relative path means the working directory at the call, and nothing after it.
func TestOpenNamedRelative(t *testing.T) {
	path := stub(t)
	t.Chdir(filepath.Dir(path))
	name := filepath.Base(path)
	for _, relative := range []string{name, "." + string(filepath.Separator) + name} {
		library := open(t, relative)
		require.True(t, filepath.IsAbs(library.Origin.Path))
		require.Equal(t, name, filepath.Base(library.Origin.Path))
	}
	t.Chdir(t.TempDir())
	_, err := loader.Open(&loader.Options{Path: name})
	requireFailure(t, err, errors.ErrLibraryMissing)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Every failure keeps its own reason.
func TestOpenNamedConcurrentFailures(t *testing.T) {
	lacking := stub(t, "STUB_LACKS")
	folder := t.TempDir()
	type attempt struct {
		path, reason string
		status       errors.Status
		errs         [50]error
	}
	attempts := make([]attempt, 64)
	for i := range attempts {
		path := filepath.Join(folder, fmt.Sprintf("lib-%d-.so", i))
		switch i % 3 {
		case 0:
			attempts[i] = attempt{path: path, status: errors.ErrLibraryMissing}
		case 1:
			require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "text %d", i), 0o600))
			attempts[i] = attempt{path: path, status: errors.ErrLibraryMissing, reason: fmt.Sprintf(`it starts with "text %d"`, i)}
		case 2:
			attempts[i] = attempt{path: lacking, status: errors.ErrSymbolMissing, reason: "uform_model_free"}
		}
	}
	var group sync.WaitGroup
	for i := range attempts {
		group.Go(func() {
			for j := range attempts[i].errs {
				_, attempts[i].errs[j] = loader.Open(&loader.Options{Path: attempts[i].path})
			}
		})
	}
	group.Wait()
	for _, attempt := range attempts {
		for _, err := range attempt.errs {
			requireFailure(t, err, attempt.status, attempt.path, attempt.reason)
		}
	}
}
