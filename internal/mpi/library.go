package mpi

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/unum-cloud/uform-go/internal/native"
	"github.com/unum-cloud/uform-go/platform"
)

// library is an MPI that was loaded, with what is called in it. What is passed by pointer is Go's;
// C keeps the buffers of nonblocking calls until their requests are done, and they are pinned for
// that long.
type library struct {
	dialect
	path, version string

	initialized   func(flag *int32) int32
	initThread    func(argc, argv *byte, required int32, provided *int32) int32
	finalize      func() int32
	errorString   func(code int32, text *byte, length *int32) int32
	setErrors     func(comm, handler uintptr) int32
	rank, size    func(comm uintptr, answer *int32) int32
	duplicate     func(comm uintptr, answer, request *handle) int32
	test          func(request *handle, done *int32, status *byte) int32
	send, receive func(buffer *byte, count int32, kind uintptr, peer, tag int32, comm uintptr, request *handle) int32
	reduceScatter func(from, to *float32, count int32, kind, operation, comm uintptr, request *handle) int32
	gather        func(from *float32, count int32, kind uintptr, to *float32, each int32, ofKind, comm uintptr, request *handle) int32
}

// symbols are the functions by their names.
func (l *library) symbols() map[string]any {
	return map[string]any{
		"MPI_Initialized":           &l.initialized,
		"MPI_Init_thread":           &l.initThread,
		"MPI_Finalize":              &l.finalize,
		"MPI_Error_string":          &l.errorString,
		"MPI_Comm_set_errhandler":   &l.setErrors,
		"MPI_Comm_rank":             &l.rank,
		"MPI_Comm_size":             &l.size,
		"MPI_Comm_idup":             &l.duplicate,
		"MPI_Test":                  &l.test,
		"MPI_Isend":                 &l.send,
		"MPI_Irecv":                 &l.receive,
		"MPI_Ireduce_scatter_block": &l.reduceScatter,
		"MPI_Iallgather":            &l.gather,
	}
}

// load loads the library at an absolute path, unless it is not of the wanted family. Nothing that
// begins MPI is called.
func load(path string, wanted family) (*library, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if err := platform.Inspect(path); err != nil {
		return nil, err
	}
	// Libraries of networks, on which MPI stands, take the signals of faults as soon as they are
	// loaded.
	restore := native.KeepSignals()
	defer restore()
	at, err := native.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%v", err) // which may be that something else does not exist
	}
	l := &library{path: path}
	if err := l.bind(at); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	found := mpich
	if strings.Contains(l.version, string(openMPI)) {
		found = openMPI
	}
	if found != wanted {
		return nil, fmt.Errorf("%s is %q, but this process was started by a launcher whose processes meet through %s", path, l.version, wanted)
	}
	return l, nil
}

// bind finds all functions, the version and the dialect.
func (l *library) bind(at uintptr) error {
	var missing []string
	for name, function := range l.symbols() {
		address, err := native.Symbol(at, name)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		native.RegisterFunc(function, address)
	}
	var libraryVersion func(text *byte, length *int32) int32
	var standard func(major, minor *int32) int32
	for name, function := range map[string]any{"MPI_Get_library_version": &libraryVersion, "MPI_Get_version": &standard} {
		address, err := native.Symbol(at, name)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		native.RegisterFunc(function, address)
	}
	if missing != nil {
		return fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	text := make([]byte, 8192) // the longest of all implementations
	var length int32
	if code := libraryVersion(&text[0], &length); code != 0 {
		return fmt.Errorf("MPI_Get_library_version answers %d", code)
	}
	first, _, _ := bytes.Cut(text, []byte{'\n'}) // some tell on the next ones how they were built
	l.version = plain(first)
	var major, minor int32
	if code := standard(&major, &minor); code != 0 {
		return fmt.Errorf("MPI_Get_version answers %d", code)
	}
	return l.choose(at, major)
}

// choose finds out which dialect the library speaks: the standard's where it says so, and otherwise
// that of its symbols. Before the fifth version of MPI the standard's was a draft, with other
// numbers.
func (l *library) choose(at uintptr, major int32) error {
	if address, err := native.Symbol(at, "MPI_Abi_get_version"); err == nil {
		var abi func(major, minor *int32) int32
		native.RegisterFunc(&abi, address)
		var version, minor int32
		if code := abi(&version, &minor); code == 0 && version > 0 {
			if version != 1 || major < 5 {
				return fmt.Errorf("it speaks version %d of MPI's standard ABI in MPI %d: 1, in MPI 5, is known", version, major)
			}
			l.dialect = dialectABI
			return nil
		}
	}
	if _, err := native.Symbol(at, "ompi_mpi_comm_world"); err == nil {
		var missing error
		l.dialect = dialectOpenMPI(func(name string) uintptr {
			address, err := native.Symbol(at, name)
			missing = errors.Join(missing, err)
			return address
		})
		return missing
	}
	for _, known := range []string{"MPICH", "Intel(R) MPI", "MVAPICH"} {
		if strings.Contains(l.version, known) {
			l.dialect = dialectMPICH
			return nil
		}
	}
	return fmt.Errorf("it calls itself %q: neither Open MPI, MPICH or its kin, nor one that speaks the standard ABI", l.version)
}

// plain is a text of C's on one line.
func plain(text []byte) string {
	text, _, _ = bytes.Cut(text, []byte{0})
	return strings.Join(strings.Fields(string(text)), " ")
}

// check is an error where a function answered that it failed.
func (l *library) check(function string, code int32) error {
	if code == 0 {
		return nil
	}
	text := make([]byte, 1024)
	var length int32
	if l.errorString(code, &text[0], &length) != 0 {
		return fmt.Errorf("%s answers error %d", function, code)
	}
	return fmt.Errorf("%s: %s", function, plain(text))
}
