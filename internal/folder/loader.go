package folder

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// loader takes tensors from files. What takes time, checking elements and packing matrices, is
// listed as jobs, which all processors do in the end. After the first error every method does
// nothing, so that the tensors of an architecture can be written down without a check after each.
type loader struct {
	kind       abi.Scalar
	bodies     [][]byte // of all files of weights
	jobs       []job
	parameters uint64
	bytes      int // of weights in use
	// narrow reports whether all matrices of layers are bf16, of which there is one.
	narrow, packs bool
	// rounded is where the weights of each matrix of bytes come from.
	rounded map[*kernel.PackedBytes]tableRows
	// letGo is [Releaser.LetGo], or does nothing.
	letGo func(part []byte)
	err   error

	mutex       sync.Mutex
	progress    func(done, total uint64) bool
	done, total uint64
}

// tableRows are some rows of a table.
type tableRows struct {
	table *table
	of    span
}

func (r tableRows) read(row int, dst []float32) { r.table.read(dst, r.of.first+row) }

func (r tableRows) data() []byte { return r.table.part(r.of.first, r.of.end) }

// job is work on some bytes of the files.
type job struct {
	bytes int
	do    func() error
}

// Dtypes that parts of a model may have.
var (
	floats       = []model.DType{model.F32, model.F16, model.BF16}
	staticFloats = []model.DType{model.F32, model.F16, model.BF16, model.F64, model.I8}
	plainFloats  = []model.DType{model.F32, model.F16, model.BF16, model.F64}
)

func (l *loader) tensor(w *weights, name string, dtypes []model.DType, shape ...int) (*table, bool) {
	if l.err != nil {
		return nil, false
	}
	tensor, err := w.tensor(name, dtypes, shape...)
	if err != nil {
		l.err = err
		return nil, false
	}
	t := tableOf(&tensor)
	l.parameters += uint64(t.rows) * uint64(t.columns)
	return t, true
}

// jobBytes is how many bytes of a table are checked in one job.
const jobBytes = 1 << 20

// table returns a matrix that is used row by row.
func (l *loader) table(w *weights, name string, dtypes []model.DType, rows, columns int) *table {
	t, ok := l.tensor(w, name, dtypes, rows, columns)
	if !ok {
		return nil
	}
	size := t.size()
	l.bytes += size
	each := max(1, jobBytes*rows/max(size, 1))
	for first := 0; first < rows; first += each {
		end := min(rows, first+each)
		l.jobs = append(l.jobs, job{size / rows * (end - first), func() error {
			defer l.letGo(t.part(first, end))
			return w.finite(name, t, first, end)
		}})
	}
	return t
}

// finite returns an error if an element of some rows is not finite.
func (w *weights) finite(name string, t *table, first, end int) error {
	if t.finite(first, end) {
		return nil
	}
	for first < end-1 && t.finite(first, first+1) { // the file may have changed meanwhile
		first++
	}
	return malformed("%s: row %d of the tensor %q holds a NaN or an infinity", w.file(name), first, w.prefix+name)
}

// values returns a small tensor, widened to f32, in memory of its own: the helpers of a call never
// read a file, which may be truncated.
func (l *loader) values(w *weights, name string, dtypes []model.DType, shape ...int) []float32 {
	t, ok := l.tensor(w, name, dtypes, shape...)
	if !ok {
		return nil
	}
	wide := make([]float32, t.rows*t.columns)
	l.bytes += 4 * len(wide)
	l.jobs = append(l.jobs, job{t.size(), func() error {
		for row := range t.rows {
			t.read(wide[row*t.columns:][:t.columns], row)
		}
		return w.finite(name, t, 0, t.rows)
	}})
	return wide
}

// vector returns a vector.
func (l *loader) vector(w *weights, name string, length int) []float32 {
	return l.values(w, name, floats, length)
}

// firstRow returns the first row of a table.
func (l *loader) firstRow(w *weights, name string, rows, columns int) []float32 {
	whole := l.values(w, name, floats, rows, columns)
	if l.err != nil {
		return nil
	}
	return whole[:columns]
}

// norm returns a norm's gain, and its bias where it has one.
func (l *loader) norm(w *weights, name string, width int, biased bool) trunk.Norm {
	norm := trunk.Norm{Gain: l.vector(w, name+".weight", width)}
	if biased {
		norm.Bias = l.vector(w, name+".bias", width)
	}
	return norm
}

// linear returns a matrix of a layer and its bias where it has one.
func (l *loader) linear(w *weights, name string, outputs, inputs int, biased bool) trunk.Linear {
	return l.part(w, name, span{0, outputs}, outputs, inputs, biased)
}

// convolution returns a convolution that moves by its own size, of squares of three channels: a
// matrix for products with patches.
func (l *loader) convolution(w *weights, name string, outputs, patch int, biased bool) (linear trunk.Linear) {
	t, ok := l.tensor(w, name+".weight", floats, outputs, 3, patch, patch)
	if !ok {
		return linear
	}
	linear.Weight = l.packed(w, name+".weight", t, span{0, outputs})
	if biased {
		linear.Bias = l.vector(w, name+".bias", outputs)
	}
	return linear
}

// span is a range of rows of a matrix, from first to before end.
type span struct{ first, end int }

// part is linear for some outputs of a matrix of so many.
func (l *loader) part(w *weights, name string, of span, outputs, inputs int, biased bool) trunk.Linear {
	var linear trunk.Linear
	t, ok := l.tensor(w, name+".weight", floats, outputs, inputs)
	if !ok {
		return linear
	}
	// Parts are counted once for each row.
	l.parameters -= uint64(outputs-(of.end-of.first)) * uint64(inputs)
	linear.Weight = l.packed(w, name+".weight", t, of)
	if biased {
		whole := l.vector(w, name+".bias", outputs)
		if l.err == nil {
			l.parameters -= uint64(outputs - (of.end - of.first))
			linear.Bias = whole[of.first:of.end]
		}
	}
	return linear
}

// packed returns some rows of a table as a matrix for products, in the kind of the load.
func (l *loader) packed(w *weights, name string, t *table, of span) trunk.Matrix {
	outputs, inputs := of.end-of.first, t.columns
	kind := l.kind
	if kind == abi.ScalarI8 && w.exact {
		kind = abi.ScalarUnknown
	}
	if kind == abi.ScalarUnknown {
		kind = abi.ScalarF32
		if t.halves != nil && !t.half {
			kind = abi.ScalarBF16
		}
	}
	l.narrow = (l.narrow || !l.packs) && kind == abi.ScalarBF16
	l.packs = true
	source := tableRows{t, of}
	// The matrix is there from now on, and filled later.
	matrix := trunk.Matrix{Full: new(kernel.Packed)}
	if kind == abi.ScalarI8 {
		matrix = trunk.Matrix{Bytes: new(kernel.PackedBytes)}
		if l.rounded == nil {
			l.rounded = map[*kernel.PackedBytes]tableRows{}
		}
		l.rounded[matrix.Bytes] = source
	}
	pack := func() error {
		switch {
		case kind == abi.ScalarI8:
			*matrix.Bytes = *trunk.Pack(kind, outputs, inputs, source.read).Bytes
		case kind == abi.ScalarF32 && t.floats != nil:
			matrix.Full.Rows(t.floats[of.first*inputs:], inputs, outputs, inputs)
		case kind == abi.ScalarBF16 && t.floats != nil && !fitsBF16(t.floats[of.first*inputs:of.end*inputs]):
			return malformed("%s: the tensor %q has elements too large for bf16: load it as f32", w.file(name), w.prefix+name)
		default:
			*matrix.Full = *trunk.Pack(kind, outputs, inputs, source.read).Full
		}
		return nil
	}
	l.jobs = append(l.jobs, job{t.size() / t.rows * outputs, func() error {
		defer l.letGo(source.data())
		if err := w.finite(name, t, of.first, of.end); err != nil {
			return err
		}
		return pack()
	}})
	return matrix
}

// fitsBF16 reports whether rounding to bf16 leaves all elements finite.
func fitsBF16(v []float32) bool {
	for _, f := range v {
		if kernel.BF16(f)&0x7F80 == 0x7F80 {
			return false
		}
	}
	return true
}

// raisedBy is the value of a panic.
type raisedBy struct{ value any }

// run does all jobs, the largest first, and reports progress.
func (l *loader) run() error {
	slices.SortStableFunc(l.jobs, func(a, b job) int { return cmp.Compare(b.bytes, a.bytes) })
	var next int
	take := func() (job, bool) {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		if l.err != nil || next == len(l.jobs) {
			return job{}, false
		}
		next++
		return l.jobs[next-1], true
	}
	work := func() {
		for {
			j, more := take()
			if !more {
				return
			}
			l.finish(j.bytes, l.guard(j.do))
		}
	}
	var others sync.WaitGroup
	var raised atomic.Value // what another goroutine panicked with, as by a call of progress
	for range min(runtime.GOMAXPROCS(0), len(l.jobs)) - 1 {
		others.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					raised.CompareAndSwap(nil, raisedBy{r})
				}
			}()
			work()
		})
	}
	defer func() {
		others.Wait()
		if r, has := raised.Load().(raisedBy); has {
			panic(r.value)
		}
	}()
	work()
	others.Wait()
	return l.err
}

// finish counts a job as done. The last report, of everything, is left to the end of the load.
func (l *loader) finish(bytes int, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err != nil {
		l.err = cmp.Or(l.err, err)
		return
	}
	l.done = min(l.done+uint64(bytes), l.total-1)
	l.report(l.done)
}

// report tells how far the load is. The caller holds the mutex where there is more than one
// goroutine.
func (l *loader) report(done uint64) {
	if l.err == nil && l.progress != nil && !l.progress(done, l.total) {
		l.err = fmt.Errorf("at byte %d of %d: %w", done, l.total, errors.ErrCancelled)
	}
}

// guard runs a function that reads the files, and returns an error where a mapped one was truncated
// meanwhile, which would otherwise end the process.
func (l *loader) guard(do func() error) (err error) {
	defer func(before bool) {
		debug.SetPanicOnFault(before)
		raised := recover()
		if raised == nil {
			return
		}
		if at, ok := raised.(interface{ Addr() uintptr }); ok {
			for _, body := range l.bodies {
				if begin := abi.Address(body); at.Addr() >= begin && at.Addr()-begin < uintptr(len(body)) {
					err = fmt.Errorf("a file of weights was truncated while it was read: load it again: %w", errors.ErrIO)
					return
				}
			}
		}
		panic(raised)
	}(debug.SetPanicOnFault(true))
	return do()
}
