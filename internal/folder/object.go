package folder

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// largestSize is the largest number of anything that a configuration may say.
const largestSize = 1 << 28

// object is a JSON object of a configuration. A member that is absent or null has the value that
// the caller gives. The first member of a wrong type becomes the error of the whole file.
type object struct {
	file    string
	within  string // the names of the objects around it, each with a dot
	members map[string]json.RawMessage
	failure *error
}

// parseObject reads the object that a file is.
func parseObject(file string, text []byte) (*object, error) {
	o := &object{file: file, failure: new(error)}
	if !utf8.Valid(text) {
		return nil, malformed("%s: not UTF-8", file)
	}
	if err := jsonfile.Decode(text, &o.members); err != nil {
		return nil, malformed("%s: %w", file, err)
	}
	return o, nil
}

// object reads the object that a file is, nil if the file is absent.
func (p place) object(file string) (*object, error) {
	text, err := p.read(file)
	if text == nil || err != nil {
		return nil, err
	}
	return parseObject(p.name(file), text)
}

// err returns the first error of this object and those in it.
func (o *object) err() error { return *o.failure }

func (o *object) fail(name, format string, arguments ...any) {
	if *o.failure == nil {
		*o.failure = malformed("%s: %s%s: "+format, append([]any{o.file, o.within, name}, arguments...)...)
	}
}

// has reports whether a member is there and not null.
func (o *object) has(name string) bool {
	value := o.members[name]
	return len(value) > 0 && !bytes.Equal(value, []byte("null"))
}

// first returns the first of several names that the object has, or the last of them.
func (o *object) first(names ...string) string {
	for _, name := range names {
		if o.has(name) {
			return name
		}
	}
	return names[len(names)-1]
}

func (o *object) decode(name, what string, to any) bool {
	if !o.has(name) {
		return false
	}
	if json.Unmarshal(o.members[name], to) != nil {
		o.fail(name, "%s where %s belongs", shortened(o.members[name]), what)
		return false
	}
	return true
}

// shortened returns a value for an error: its begin if it is long, and quoted if not all of it can
// be printed, so that a file cannot write to a terminal.
func shortened(value []byte) string {
	const most = 40
	if len(value) > most {
		return strconv.QuoteToASCII(string(value[:most])) + "…"
	}
	unprintable := func(r rune) bool { return !strconv.IsPrint(r) }
	if !utf8.Valid(value) || bytes.ContainsFunc(value, unprintable) {
		return strconv.QuoteToASCII(string(value))
	}
	return string(value)
}

// size returns an integer of 0 to [largestSize].
func (o *object) size(name string, otherwise int) int {
	var number json.Number
	if !o.decode(name, "an integer", &number) {
		return otherwise
	}
	value, err := strconv.ParseUint(string(number), 10, 63)
	if err != nil || value > largestSize {
		o.fail(name, "%s where an integer of 0 to %d belongs", shortened([]byte(number)), largestSize)
		return otherwise
	}
	return int(value)
}

// count is size for what there must be at least one of.
func (o *object) count(name string, otherwise int) int {
	value := o.size(name, otherwise)
	if value == 0 {
		o.fail(name, "0 where at least 1 belongs")
	}
	return value
}

// number returns a number, which may be larger than any integer.
func (o *object) number(name string, otherwise float64) float64 {
	var value float64
	if !o.decode(name, "a number", &value) {
		return otherwise
	}
	return value
}

// positive returns a number above 0.
func (o *object) positive(name string, otherwise float64) float64 {
	value := o.number(name, otherwise)
	if !(value > 0) {
		o.fail(name, "%v where a number above 0 belongs", value)
	}
	return value
}

// length returns a number of tokens, at most [math.MaxInt32]: files write 1e30 for no limit.
func (o *object) length(name string, otherwise int) int {
	value := o.number(name, float64(otherwise))
	if value < 1 || value != math.Trunc(value) {
		o.fail(name, "%v where a number of tokens belongs", value)
		return otherwise
	}
	return int(min(value, math.MaxInt32))
}

func (o *object) text(name, otherwise string) string {
	o.decode(name, "a string", &otherwise)
	return otherwise
}

func (o *object) flag(name string, otherwise bool) bool {
	o.decode(name, "true or false", &otherwise)
	return otherwise
}

// texts returns a map of strings.
func (o *object) texts(name string) (texts map[string]string) {
	o.decode(name, "an object of strings", &texts)
	return texts
}

// list returns a list of strings.
func (o *object) list(name string) (list []string) {
	o.decode(name, "a list of strings", &list)
	return list
}

// sizes returns a list of integers.
func (o *object) sizes(name string) (sizes []int) {
	o.decode(name, "a list of integers", &sizes)
	return sizes
}

// numbers returns a list of numbers.
func (o *object) numbers(name string, otherwise []float64) []float64 {
	var list []float64
	if !o.decode(name, "a list of numbers", &list) {
		return otherwise
	}
	return list
}

// object returns the object that a member is, an empty one if it is absent.
func (o *object) object(name string) *object {
	inner := &object{file: o.file, within: o.within + name + ".", failure: o.failure}
	o.decode(name, "an object", &inner.members)
	return inner
}
