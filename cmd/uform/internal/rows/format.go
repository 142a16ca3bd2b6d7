package rows

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Row is a vector with its item.
type Row struct {
	// Item is the item's name, Text its text, empty for pictures and sound.
	Item, Text string
	Vector     []float32
}

// Format is how rows are written. The zero value is none.
type Format string

// The formats.
const (
	NPY     Format = "npy"
	JSON    Format = "jsonl"
	TSV     Format = "tsv"
	Parquet Format = "parquet"
)

// Formats are all formats.
var Formats = []string{string(NPY), string(JSON), string(TSV), string(Parquet)}

// Set sets the format by its name.
func (f *Format) Set(name string) error {
	for _, known := range Formats {
		if strings.EqualFold(name, known) {
			*f = Format(known)
			return nil
		}
	}
	return fmt.Errorf("there is no such format: use %s", strings.Join(Formats, ", "))
}

func (f *Format) String() string { return string(*f) }

// Type is the name of the kind of flag.
func (f *Format) Type() string { return "format" }

// FormatOf returns the format that a path's extension names.
func FormatOf(path string) (f Format, err error) {
	extension := strings.TrimPrefix(filepath.Ext(path), ".")
	if err = f.Set(extension); err != nil {
		err = fmt.Errorf("%s: the extension names no format: end it with .%s, or use --format", path, strings.Join(Formats, ", ."))
	}
	return f, err
}

// Layout is what a file of rows has.
type Layout struct {
	Format  Format
	Columns int
	// Texts says that rows have their texts, which an array cannot have.
	Texts bool
}

// append appends rows as the format has them in the middle of a file.
func (l *Layout) append(to []byte, rows []Row) ([]byte, error) {
	for i := range rows {
		if len(rows[i].Vector) != l.Columns {
			return to, fmt.Errorf("%s: a vector of %d columns where %d belong", rows[i].Item, len(rows[i].Vector), l.Columns)
		}
		switch l.Format {
		case NPY:
			to = appendFloats(to, rows[i].Vector)
		case JSON:
			to = appendJSON(to, &rows[i], l.Texts)
		case TSV:
			to = appendTSV(to, &rows[i], l.Texts)
		case Parquet:
			to = appendSpooled(to, &rows[i])
		}
	}
	return to, nil
}
