package onnx

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// apiVersion is the version of the function table, which only grows at its end.
const apiVersion = 24

// Indices in that table, struct OrtApi of onnxruntime_c_api.h.
const (
	getErrorMessage          = 2
	createEnv                = 3
	createSession            = 7
	createSessionFromArray   = 8
	run                      = 9
	createSessionOptions     = 10
	setGraphOptimization     = 23
	setIntraOpThreads        = 24
	setInterOpThreads        = 25
	createTensorWithData     = 49
	getTensorMutableData     = 51
	createCPUMemoryInfo      = 69
	releaseValue             = 96
	releaseSession           = 95
	optimizeAll              = 99
	logErrors                = 3
	arenaAllocator, defaults = 0, 0
)

// Runtime is the shared library.
type Runtime struct {
	table       unsafe.Pointer
	environment uintptr
	memory      uintptr
}

// Open opens the shared library at a path.
func Open(path string) (*Runtime, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	var base func() unsafe.Pointer
	purego.RegisterLibFunc(&base, handle, "OrtGetApiBase")
	getAPI := *(*uintptr)(base())
	var table func(version uint32) unsafe.Pointer
	purego.RegisterFunc(&table, getAPI)
	r := &Runtime{table: table(apiVersion)}
	if r.table == nil {
		return nil, fmt.Errorf("%s has no interface of version %d", path, apiVersion)
	}
	if err := r.call(createEnv, logErrors, address(&environmentName[0]), address(&r.environment)); err != nil {
		return nil, err
	}
	return r, r.call(createCPUMemoryInfo, arenaAllocator, defaults, address(&r.memory))
}

var environmentName = [...]byte{'b', 'e', 'n', 'c', 'h', 0}

// address returns a pointer for C. It does not keep p in place: stack objects move when the stack
// grows, so p must point to the heap, or to a variable of the package.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

func (r *Runtime) function(place int) uintptr {
	return *(*uintptr)(unsafe.Add(r.table, uintptr(place)*unsafe.Sizeof(uintptr(0))))
}

func (r *Runtime) call(place int, arguments ...uintptr) error {
	status, _, _ := purego.SyscallN(r.function(place), arguments...)
	if status == 0 {
		return nil
	}
	var message func(status uintptr) string
	purego.RegisterFunc(&message, r.function(getErrorMessage))
	return fmt.Errorf("function %d: %s", place, message(status))
}

// Session is a graph that is ready to run on a number of threads.
type Session struct {
	runtime *Runtime
	session uintptr
	names   [][]byte // of the inputs, then of the output

	// What C reads and writes during a call. It is here because a Session is on the heap.
	options           uintptr
	flat              [2]int64
	pooling           [3]int64
	inputs, nameTexts [4]uintptr
	count             int // of inputs
	out, data         uintptr
}

// NewSession prepares a graph that [Graph] wrote, with all optimizations.
func (r *Runtime) NewSession(file []byte, threads int, ragged bool) (*Session, error) {
	defer runtime.KeepAlive(file)
	return r.newSession(threads, graphNames(ragged), func(s *Session) error {
		return r.call(createSessionFromArray, r.environment, address(&file[0]), uintptr(len(file)), s.options, address(&s.session))
	})
}

// NewSessionOf is NewSession of a file.
func (r *Runtime) NewSessionOf(path string, threads int, ragged bool) (*Session, error) {
	return r.newSessionOf(path, threads, graphNames(ragged))
}

// graphNames returns the names of the inputs and the output of [Graph].
func graphNames(ragged bool) []string {
	if ragged {
		return []string{"ids", "share", "filled", "embeddings"}
	}
	return []string{"ids", "share", "embeddings"}
}

func (r *Runtime) newSessionOf(path string, threads int, names []string) (*Session, error) {
	return r.newSession(threads, names, func(s *Session) error {
		s.names = append(s.names, append([]byte(path), 0))
		defer func() { s.names = s.names[:len(s.names)-1] }()
		return r.call(createSession, r.environment, address(&s.names[len(s.names)-1][0]), s.options, address(&s.session))
	})
}

func (r *Runtime) newSession(threads int, names []string, create func(*Session) error) (*Session, error) {
	s := &Session{runtime: r}
	for _, name := range names {
		s.names = append(s.names, append([]byte(name), 0))
	}
	if err := r.call(createSessionOptions, address(&s.options)); err != nil {
		return nil, err
	}
	for place, value := range map[int]int{setIntraOpThreads: threads, setInterOpThreads: 1, setGraphOptimization: optimizeAll} {
		if err := r.call(place, s.options, uintptr(value)); err != nil {
			return nil, err
		}
	}
	return s, create(s)
}

// Close frees the session.
func (s *Session) Close() { purego.SyscallN(s.runtime.function(releaseSession), s.session) }

// Input is a batch, padded to its longest item.
type Input struct {
	Batch, Length int
	IDs           []int64
	Share         []float32
	Filled        []int32
}

// Pad returns the input of some texts.
func Pad(texts []string) *Input {
	in := &Input{Batch: len(texts)}
	for _, text := range texts {
		in.Length = max(in.Length, len(text))
	}
	size := in.Batch * in.Length
	in.IDs, in.Share, in.Filled = make([]int64, size), make([]float32, size), make([]int32, size)
	for i, text := range texts {
		for j := range len(text) {
			at := i*in.Length + j
			in.IDs[at], in.Share[at], in.Filled[at] = int64(text[j]), 1/float32(len(text)), 1
		}
	}
	return in
}

// Run computes the embeddings of a batch into dst. One goroutine at a time may run a session.
func (s *Session) Run(in *Input, dst []float32) error {
	s.flat, s.pooling = [2]int64{int64(in.Batch), int64(in.Length)}, [3]int64{int64(in.Batch), 1, int64(in.Length)}
	err := s.give(address(&in.IDs[0]), 8*len(in.IDs), s.flat[:], typeInt64)
	if err == nil {
		err = s.give(address(&in.Share[0]), 4*len(in.Share), s.pooling[:], typeFloat)
	}
	if err == nil && len(s.names) == 4 {
		err = s.give(address(&in.Filled[0]), 4*len(in.Filled), s.flat[:], typeInt32)
	}
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(in)
	return s.run(len(dst), func(output []float32) { copy(dst, output) })
}

// give adds a tensor of so many bytes to the inputs of the next run. shape must be on the heap.
func (s *Session) give(data uintptr, bytes int, shape []int64, kind uintptr) error {
	err := s.runtime.call(createTensorWithData, s.runtime.memory, data, uintptr(bytes), address(&shape[0]), uintptr(len(shape)), kind, address(&s.inputs[s.count]))
	s.count++
	return err
}

// run runs the graph with the inputs that were given, lends the output, of so many scalars, to
// take, and frees all.
func (s *Session) run(scalars int, take func(output []float32)) error {
	count := s.count
	s.count, s.out = 0, 0
	for i := range s.names {
		s.nameTexts[i] = address(&s.names[i][0])
	}
	err := s.runtime.call(run, s.session, 0, address(&s.nameTexts[0]), address(&s.inputs[0]), uintptr(count), address(&s.nameTexts[count]), 1, address(&s.out))
	if err != nil {
		return err
	}
	if err := s.runtime.call(getTensorMutableData, s.out, address(&s.data)); err != nil {
		return err
	}
	take(unsafe.Slice((*float32)(*(*unsafe.Pointer)(unsafe.Pointer(&s.data))), scalars))
	for _, value := range append(s.inputs[:count:count], s.out) {
		purego.SyscallN(s.runtime.function(releaseValue), value)
	}
	return nil
}
