package loadertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/unum-cloud/uform-go/platform"
)

// Need is the path of the C library of testdata/libuform, built from the sources as they are now.
// The test is skipped where the machine or the build lacks what that takes.
func Need(t testing.TB) string {
	t.Helper()
	path, err := Library()
	skipOrFail(t, err)
	return path
}

// Compile builds a shared library from arguments for the compiler, sources among them, which find
// uform.h. The test is skipped where the machine has no compiler.
func Compile(t testing.TB, output string, arguments ...string) {
	t.Helper()
	found, err := findCompiler()
	skipOrFail(t, err)
	root, err := moduleRoot()
	skipOrFail(t, err)
	skipOrFail(t, found.build(output, append([]string{"-I", filepath.Join(root, "abi")}, arguments...)...))
}

// Folder is an empty folder for libraries that a test loads. A system that does not let go of a
// loaded file, as Windows does not, keeps it.
func Folder(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return t.TempDir()
	}
	folder, err := os.MkdirTemp("", "uform-loaded-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func skipOrFail(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, ErrNoCompiler), !platform.Native:
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// Library is the path of the C library of testdata/libuform, built from the sources as they are
// now, or the reason why there is none. [ErrNoCompiler] and [platform.Unsupported] are reasons to
// skip a test, every other one is a fault.
var Library = sync.OnceValues(buildLibrary)

func buildLibrary() (string, error) {
	if err := platform.Unsupported(); err != nil {
		return "", err
	}
	found, err := findCompiler()
	if err != nil {
		return "", err
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	sources, err := filepath.Glob(filepath.Join(root, "testdata", "libuform", "*.c"))
	if err != nil || len(sources) == 0 {
		return "", fmt.Errorf("build libuform: no sources in testdata/libuform: %v", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("build libuform: %w", err)
	}
	key, err := hash(found, root)
	if err != nil {
		return "", fmt.Errorf("build libuform: %w", err)
	}
	folder := filepath.Join(cache, "uform-go", "libuform-"+key)
	path := filepath.Join(folder, fileName())
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("build libuform: %w", err)
	}
	// Whoever else builds it at the same time builds it aside, too, and the name only ever belongs
	// to a whole file.
	aside, err := os.MkdirTemp(folder, "build-")
	if err != nil {
		return "", fmt.Errorf("build libuform: %w", err)
	}
	defer os.RemoveAll(aside)
	built := filepath.Join(aside, fileName())
	arguments := append(append([]string{"-I", filepath.Join(root, "abi")}, sources...), found.ffmpeg...)
	if err := found.build(built, arguments...); err != nil {
		return "", fmt.Errorf("build libuform: %w", err)
	}
	// The first one stays: somebody may have loaded it already. A file system without links takes
	// the last one.
	if err := os.Link(built, path); err != nil {
		if _, other := os.Stat(path); other == nil {
			return path, nil
		}
		if err := os.Rename(built, path); err != nil {
			return "", fmt.Errorf("build libuform: %w", err)
		}
	}
	return path, nil
}

// fileName is a name that the system's loader expects.
func fileName() string {
	switch runtime.GOOS {
	case "windows":
		return "uform.dll"
	case "darwin":
		return "libuform.dylib"
	}
	return "libuform.so"
}

// hash is over everything that the library is made of: the compiler, its flags, the target, the
// header, the sources.
func hash(found compiler, root string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, found.identity, flags(), libraries(), runtime.GOOS, runtime.GOARCH)
	add := func(path string) error {
		content, err := os.ReadFile(path)
		if err == nil {
			fmt.Fprintln(sum, strings.TrimPrefix(path, root), len(content))
			sum.Write(content)
		}
		return err
	}
	// The header may include others.
	for _, folder := range []string{"abi", filepath.Join("testdata", "libuform")} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			extension := filepath.Ext(path)
			if err != nil || entry.IsDir() || (extension != ".c" && extension != ".h") {
				return err
			}
			return add(path)
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

// moduleRoot is the folder of this module's go.mod, looked for from the working directory upwards:
// tests run in the folder of their package.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && bytes.Contains(content, []byte("module github.com/unum-cloud/uform-go\n")) {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("the test does not run inside of the module github.com/unum-cloud/uform-go")
		}
		folder = parent
	}
}

// FFmpeg tells whether the library reads files of images, videos and recordings, since the machine
// has what that is built with.
func FFmpeg() bool {
	found, err := findCompiler()
	return err == nil && found.ffmpeg != nil
}
