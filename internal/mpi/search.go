package mpi

import (
	stderrors "errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// names are the files that a family's library may be: the names that are its own come first,
// because the others may be either's.
func (f family) names() []string {
	own, kin := "mpi", 40 // since Open MPI 3.0
	if f == mpich {
		own, kin = "mpich", 12
	}
	file := func(name string, version int) string {
		if runtime.GOOS == "darwin" {
			return fmt.Sprintf("lib%s.%d.dylib", name, version)
		}
		return fmt.Sprintf("lib%s.so.%d", name, version)
	}
	names := []string{file(own, kin)}
	if f == mpich {
		names = append(names, file("mpi", kin)) // its own name, which Debian changes
	}
	return append(names, file("mpi_abi", 0))
}

// candidates are the paths where a family's library may lie, the better one first. Red Hat's
// distributions have a folder for each family.
func (f family) candidates() (paths []string) {
	folder := "openmpi"
	if f == mpich {
		folder = "mpich"
	}
	for _, place := range platform.Places() {
		for _, within := range []string{place, filepath.Join(place, folder, "lib")} {
			for _, name := range f.names() {
				paths = append(paths, filepath.Join(within, name))
			}
		}
	}
	return paths
}

// find loads the library that the environment names, or the first usable one of the launcher's
// family.
func (l *launch) find() (*library, error) {
	if name, set := os.LookupEnv(Variable); set && !platform.Privileged() {
		if !filepath.IsAbs(name) {
			return nil, fmt.Errorf("%s names %q: it has to be an absolute path: %w", Variable, name, errors.ErrUnsupported)
		}
		found, err := load(name, l.serves)
		if err != nil {
			return nil, fmt.Errorf("%s names a library of no use: %v: %w", Variable, err, errors.ErrUnsupported)
		}
		return found, nil
	}
	if runtime.GOOS == "windows" {
		return nil, fmt.Errorf("MPI is not looked for on this system: name its library in %s: %w", Variable, errors.ErrUnsupported)
	}
	var refused, looked []string
	for _, path := range l.serves.candidates() {
		err := platform.Protected(path)
		if err == nil {
			var found *library
			if found, err = load(path, l.serves); err == nil {
				return found, nil
			}
		}
		if !stderrors.Is(err, fs.ErrNotExist) {
			refused = append(refused, err.Error())
		}
		looked = append(looked, path)
	}
	if refused != nil {
		return nil, fmt.Errorf("no library of %s can be used: %s: %w", l.serves, strings.Join(refused, "; "), errors.ErrUnsupported)
	}
	packages := map[family]string{openMPI: "libopenmpi3", mpich: "libmpich12"}
	return nil, fmt.Errorf("many processes need the MPI of their launcher: install %s (Debian: %s), or name its library in %s; none is at %s: %w",
		l.serves, packages[l.serves], Variable, strings.Join(looked, ", "), errors.ErrUnsupported)
}
