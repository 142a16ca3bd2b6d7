package nearest

import (
	"encoding"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/platform"
)

// Metric is how a row is compared with a query. The zero value is [Cosine].
type Metric int32

const (
	// Cosine is the cosine of the angle between query and row, largest first. It is 0 where one of
	// them is all zeroes.
	Cosine Metric = iota
	// Dot is the sum of products, largest first. For vectors of unit length it is the cosine.
	Dot
	// Euclidean is the distance, smallest first.
	Euclidean
)

var metrics = []string{"cosine", "dot", "euclidean"}

var (
	_ encoding.TextMarshaler   = Cosine
	_ encoding.TextUnmarshaler = (*Metric)(nil)
)

// String is the metric in lower case, or its number where it has no name.
func (m Metric) String() string {
	if m < 0 || int(m) >= len(metrics) {
		return fmt.Sprint(int32(m))
	}
	return metrics[m]
}

// MarshalText is String for metrics that have a name, else an error.
func (m Metric) MarshalText() ([]byte, error) {
	if m < 0 || int(m) >= len(metrics) {
		return nil, fmt.Errorf("uform: metric %d has no name", int32(m))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads what String prints.
func (m *Metric) UnmarshalText(text []byte) error {
	known := slices.Index(metrics, string(text))
	if known < 0 {
		return fmt.Errorf("uform: there is no metric %q: use cosine, dot or euclidean", text)
	}
	*m = Metric(known)
	return nil
}

// MostColumns is the largest number of columns of an index.
const MostColumns = 1 << 16

// Options describe a new index.
type Options struct {
	// Columns is the number of scalars in a row, from 1 to [MostColumns]. An index has no default.
	Columns int
	// Scalar is the kind that rows are stored in: f32, which is the default, f16, or i8.
	Scalar abi.Scalar
	// Metric is how rows are compared with a query, by default by [Cosine].
	Metric Metric
}

// Index is rows of scalars with a key each. Any number of goroutines may use it at once. Changes
// take turns. A search, a save and a range see the index as it was when they began, neither wait
// for changes nor delay them.
type Index struct {
	columns int
	scalar  abi.Scalar
	metric  Metric
	// live is closed by Close, once no call uses the index. Its value is not used.
	live *handle.Handle[uintptr]
	// mapping is the file that an index was opened from; nil for an index in RAM.
	mapping *platform.Mapping

	// changing is held by the one goroutine that changes the index. It guards the fields below.
	changing sync.Mutex
	// places finds the rows of segments in RAM; the keys of a file's segment are sorted. appended
	// counts the rows of segments in RAM with those that are gone.
	places   map[uint64]place
	appended int
	stored   []float32 // one row, widened

	mutex   sync.Mutex
	current snapshot
}

// place is where a row is.
type place struct{ segment, row int32 }

var nowhere = place{-1, -1}

// New returns an empty index in RAM. Options out of range are [errors.ErrInvalidArgument], and a
// scalar other than f32, f16 and i8 is [errors.ErrUnsupported].
func New(options *Options) (*Index, error) {
	if options == nil {
		options = new(Options)
	}
	index, err := newIndex(*options)
	if err != nil {
		return nil, err
	}
	index.own(nil)
	return index, nil
}

func newIndex(options Options) (*Index, error) {
	const verb = "make an index"
	if options.Scalar == abi.ScalarUnknown {
		options.Scalar = abi.ScalarF32
	}
	switch {
	case options.Columns < 1 || options.Columns > MostColumns:
		return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem,
			fmt.Errorf("Columns is %d: set it to the length of a row, from 1 to %d", options.Columns, MostColumns))
	case options.Metric < 0 || int(options.Metric) >= len(metrics):
		return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem,
			fmt.Errorf("there is no metric %d: use Cosine, Dot or Euclidean", options.Metric))
	case width(options.Scalar) == 0:
		return nil, errors.New(verb, errors.ErrUnsupported, errors.NoItem,
			fmt.Errorf("rows of %v: use f32, f16 or i8", options.Scalar))
	}
	return &Index{
		columns: options.Columns, scalar: options.Scalar, metric: options.Metric,
		places: make(map[uint64]place), stored: make([]float32, options.Columns),
	}, nil
}

// width is the number of bytes of a scalar, 0 for kinds that rows cannot have.
func width(scalar abi.Scalar) int {
	switch scalar {
	case abi.ScalarF32:
		return 4
	case abi.ScalarF16:
		return 2
	case abi.ScalarI8:
		return 1
	}
	return 0
}

// Columns is the number of scalars in a row.
func (x *Index) Columns() int { return x.columns }

// Scalar is the kind that rows are stored in.
func (x *Index) Scalar() abi.Scalar { return x.scalar }

// Metric is how rows are compared with a query.
func (x *Index) Metric() Metric { return x.metric }

// Len is the number of rows, 0 once the index is closed.
func (x *Index) Len() int { return x.snapshot().live }

func (x *Index) snapshot() snapshot {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	return x.current
}

func (x *Index) publish(s snapshot) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.current = s
}

// begin begins a use of the index, which end ends.
func (x *Index) begin(verb string) error {
	if x == nil {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errNoIndex)
	}
	if !x.live.BeginCall() {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errors.ErrClosed)
	}
	return nil
}

func (x *Index) end() { x.live.EndCall() }

// Contains reports whether there is a row with a key. It is false once the index is closed.
func (x *Index) Contains(key uint64) bool {
	if x.begin("") != nil {
		return false
	}
	defer x.end()
	x.changing.Lock()
	defer x.changing.Unlock()
	_, there := x.find(key)
	return there
}

// AppendTo appends the row with a key to floats, as it is stored: rounded to the index's kind, and
// widened again. The result is the caller's. A key that the index does not have is
// [errors.ErrInvalidArgument].
func (x *Index) AppendTo(floats []float32, key uint64) (_ []float32, err error) {
	const verb = "read a row"
	if err := x.begin(verb); err != nil {
		return floats, err
	}
	defer x.end()
	x.changing.Lock()
	defer x.changing.Unlock()
	defer x.shield(verb, &err, nil, debug.SetPanicOnFault(true))
	at, there := x.find(key)
	if !there {
		return floats, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, fmt.Errorf("there is no key %d", key))
	}
	from := len(floats)
	floats = append(floats, make([]float32, x.columns)...)
	x.widen(floats[from:], &x.current.segments[at.segment], int(at.row))
	return floats, nil
}

// Keys ranges over the keys, in no order. It is empty once the index is closed, and Close waits for
// it.
func (x *Index) Keys() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if x.begin("") != nil {
			return
		}
		defer x.end()
		for at, s := range x.snapshot().rows() {
			if !yield(s.key(int(at.row))) {
				return
			}
		}
	}
}

// find returns where the row with a key is. The caller holds changing.
func (x *Index) find(key uint64) (place, bool) {
	if at, there := x.places[key]; there {
		return at, true
	}
	if len(x.current.segments) == 0 || !x.current.segments[0].sorted {
		return place{}, false
	}
	base := &x.current.segments[0]
	row := sort.Search(base.capacity, func(row int) bool { return base.key(row) >= key })
	return place{0, int32(row)}, row < base.capacity && base.key(row) == key && !base.isGone(row)
}

// Close waits for calls in flight, and frees the rows; a mapped file is unmapped. Closing again is
// safe. Using a closed index is [errors.ErrInvalidArgument] that wraps [errors.ErrClosed]. A filter
// must not close the index that it is called for: that would wait for itself.
func (x *Index) Close() error {
	if x != nil {
		x.live.Close()
	}
	return nil
}

// drop forgets all rows of a closed index.
func (x *Index) drop() {
	x.changing.Lock()
	defer x.changing.Unlock()
	x.publish(snapshot{})
	x.places = nil
}

// own makes the index own a mapping, which is closed with it, or when nothing refers to it.
func (x *Index) own(mapping *platform.Mapping) {
	x.mapping = mapping
	x.live = handle.New(uintptr(0), func(uintptr) {
		x.drop()
		_ = mapping.Close()
	})
	if mapping != nil {
		runtime.AddCleanup(x, func(m *platform.Mapping) { _ = m.Close() }, mapping)
	}
}
