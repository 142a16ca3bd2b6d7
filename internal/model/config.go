package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/fold"
)

// configName is the member of a container's metadata that holds the configuration.
const configName = "uform"

const (
	formatName    = "uform"
	formatVersion = 2
	// foldVersion is the first one with a fold of whole texts: a reader of version 1 would ignore
	// the name, and compute other vectors.
	foldVersion = 2
)

// Config is the architecture of a model. The tags are the names in the file.
type Config struct {
	// Modalities are "text" and any of "image", "video" and "audio".
	Modalities []string `json:"modalities"`
	// Context is the number of tokens of the longest item.
	Context int `json:"context"`
	// Width is the number of scalars of a state.
	Width int `json:"width"`
	// Layers may be zero; then so are Heads and Hidden.
	Layers int `json:"layers"`
	// Heads divides Width into an even number of scalars.
	Heads int `json:"heads"`
	// Hidden is the inner width of the feed-forward part.
	Hidden int `json:"hidden"`
	// Columns is the number of scalars of the dense part of an embedding.
	Columns int `json:"columns"`
	// NormEpsilon and RotaryBase are 1e-6 and 10000 where they are zero in a file being written.
	NormEpsilon float64 `json:"norm_epsilon,omitempty"`
	RotaryBase  float64 `json:"rotary_base,omitempty"`
	// Fold names the fold of texts, which is applied first: [fold.Name], or empty for none.
	Fold string `json:"fold,omitempty"`
	// Skip appends the mean of the input rows to the projection's input.
	Skip bool `json:"skip,omitempty"`
	// The fields below are nil in a model without the part. Image, Video and Audio are present
	// exactly with the modalities that need them.
	Grams   *Grams   `json:"grams,omitempty"`
	Lexical *Lexical `json:"lexical,omitempty"`
	Image   *Image   `json:"image,omitempty"`
	Video   *Video   `json:"video,omitempty"`
	Audio   *Audio   `json:"audio,omitempty"`
	Decoder *Decoder `json:"decoder,omitempty"`
	// Training is written if it is not nil, and never read: [ReadTraining] reads it.
	Training *Training `json:"training,omitempty"`
}

// Grams are hashed byte n-grams in the input.
type Grams struct {
	// Sizes are the lengths of n-grams in bytes, 1 to 8, ascending.
	Sizes []int `json:"sizes"`
	// Hashes is how many rows of the table one n-gram adds.
	Hashes int `json:"hashes"`
	// Buckets is the number of rows of the table.
	Buckets int `json:"buckets"`
	// Words adds rows for whole words.
	Words bool `json:"words,omitempty"`
	// Fold ignores the case of ASCII letters and the kind of ASCII white space.
	Fold bool `json:"fold,omitempty"`
	// Within leaves out n-grams that reach across a space.
	Within bool `json:"within,omitempty"`
}

// Lexical is the lane of fixed random signs that is appended to an embedding.
type Lexical struct {
	Sizes   []int `json:"sizes"`
	Buckets int   `json:"buckets"`
	Fold    bool  `json:"fold,omitempty"`
	Within  bool  `json:"within,omitempty"`
	// Columns is the number of scalars of the lane, a multiple of 64.
	Columns int `json:"columns"`
	// Share is the lane's part of the embedding's squared length.
	Share float64 `json:"share"`
}

// Decoder is the byte decoder.
type Decoder struct {
	// QuestionTypes are the types of questions that it is calibrated for.
	QuestionTypes []QuestionType `json:"question_types"`
}

// QuestionType is one calibration of the byte decoder.
type QuestionType struct {
	Name               string  `json:"name"`
	InverseTemperature float64 `json:"inverse_temperature"`
}

// EmbeddingColumns returns the width of an embedding, the lexical lane included.
func (c *Config) EmbeddingColumns() int {
	if c.Lexical == nil {
		return c.Columns
	}
	return c.Columns + c.Lexical.Columns
}

// PooledColumns returns the width of the projection's input: twice a state with the skip.
func (c *Config) PooledColumns() int {
	if c.Skip {
		return 2 * c.Width
	}
	return c.Width
}

// Metadata returns the configuration as the container's metadata holds it. An invalid configuration
// is [errors.ErrInvalidArgument].
func (c *Config) Metadata() (map[string]string, error) {
	version := 1
	if c.Fold != "" {
		version = foldVersion
	}
	text, err := json.Marshal(struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		*Config
	}{formatName, version, c})
	if err != nil {
		return nil, fmt.Errorf("configuration: %v: %w", err, errors.ErrInvalidArgument)
	}
	if _, err := ParseConfig(string(text)); err != nil {
		// What is malformed for a reader is the caller's argument here: only the text of the cause
		// is kept.
		cause := strings.TrimSuffix(err.Error(), ": "+errors.ErrMalformed.Error())
		return nil, fmt.Errorf("%s: %w", cause, errors.ErrInvalidArgument)
	}
	return map[string]string{configName: string(text)}, nil
}

// ParseConfig reads a configuration from its JSON. Errors name the member at fault and wrap
// [errors.ErrMalformed], or [errors.ErrUnsupported] for a version of the format that this package
// does not know.
func ParseConfig(text string) (*Config, error) {
	version, err := readVersion([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	reader, err := newReader([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	config := &Config{NormEpsilon: 1e-6, RotaryBase: 10000}
	if err := config.read(reader); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if err := config.agree(); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if config.Fold != "" && version < foldVersion {
		return nil, fmt.Errorf("configuration: %w", malformed("fold: needs version %d, this is %d", foldVersion, version))
	}
	return config, nil
}

// readVersion runs first: in a later version everything else may have another form.
func readVersion(text []byte) (version int64, err error) {
	reader, err := newReader(text)
	if err != nil {
		return 0, err
	}
	var format string
	err = reader.members([]string{"format", "version"}, fields{
		"format": func() (err error) {
			format, err = reader.text()
			return err
		},
		"version": func() (err error) {
			if version, err = reader.natural(); err == nil && version == 0 {
				err = malformed("0 is not a version")
			}
			return err
		},
	})
	switch {
	case err != nil:
		return 0, err
	case format != formatName:
		return 0, malformed("format is %q instead of %q", format, formatName)
	case version > formatVersion:
		return 0, fmt.Errorf("version is %d, this build reads up to %d: %w", version, formatVersion, errors.ErrUnsupported)
	}
	return version, nil
}

func (c *Config) read(r *reader) error {
	return r.members([]string{"modalities", "context", "width", "layers", "heads", "hidden", "columns"}, fields{
		"modalities":   func() error { return c.readModalities(r) },
		"context":      integer(r, &c.Context, 1, 1<<20),
		"width":        integer(r, &c.Width, 1, 8192),
		"layers":       integer(r, &c.Layers, 0, 256),
		"heads":        integer(r, &c.Heads, 0, 8192),
		"hidden":       integer(r, &c.Hidden, 0, 65536),
		"columns":      integer(r, &c.Columns, 1, 8192),
		"norm_epsilon": number(r, &c.NormEpsilon, func(v float64) bool { return v > 0 && v <= 1 }),
		"rotary_base":  number(r, &c.RotaryBase, func(v float64) bool { return v >= 1 && v <= 1e9 }),
		"skip":         boolean(r, &c.Skip),
		"fold":         func() error { return c.readFold(r) },
		"grams": func() error {
			c.Grams = &Grams{}
			return c.Grams.read(r)
		},
		"lexical": func() error {
			c.Lexical = &Lexical{}
			return c.Lexical.read(r)
		},
		"image": func() error {
			c.Image = &Image{}
			return c.Image.read(r)
		},
		"video": func() error {
			c.Video = &Video{}
			return c.Video.read(r)
		},
		"audio": func() error {
			c.Audio = &Audio{}
			return c.Audio.read(r)
		},
		"decoder": func() error {
			c.Decoder = &Decoder{}
			return c.Decoder.read(r)
		},
	})
}

func (c *Config) readFold(r *reader) error {
	name, err := r.text()
	if err == nil && name != fold.Name {
		err = malformed("%q is unknown to this build", name)
	}
	c.Fold = name
	return err
}

func (c *Config) readModalities(r *reader) error {
	err := r.array(func(int) error {
		name, err := r.text()
		switch {
		case err != nil:
			return err
		case !slices.Contains([]string{"text", "image", "video", "audio"}, name):
			return malformed("unknown modality %q", name)
		case slices.Contains(c.Modalities, name):
			return malformed("%q occurs twice", name)
		}
		c.Modalities = append(c.Modalities, name)
		return nil
	})
	if err == nil && !slices.Contains(c.Modalities, "text") {
		err = malformed("%q is missing", "text")
	}
	return err
}

func (g *Grams) read(r *reader) error {
	return r.members([]string{"sizes", "hashes", "buckets"}, fields{
		"sizes":   sizes(r, &g.Sizes),
		"hashes":  integer(r, &g.Hashes, 1, 4),
		"buckets": integer(r, &g.Buckets, 1, 1<<24),
		"words":   boolean(r, &g.Words),
		"fold":    boolean(r, &g.Fold),
		"within":  boolean(r, &g.Within),
	})
}

func (l *Lexical) read(r *reader) error {
	err := r.members([]string{"sizes", "buckets", "columns", "share"}, fields{
		"sizes":   sizes(r, &l.Sizes),
		"buckets": integer(r, &l.Buckets, 1, 1<<24),
		"fold":    boolean(r, &l.Fold),
		"within":  boolean(r, &l.Within),
		"columns": integer(r, &l.Columns, 64, 1024),
		"share":   number(r, &l.Share, func(v float64) bool { return v > 0 && v < 1 }),
	})
	if err == nil && l.Columns%64 != 0 {
		err = malformed("columns: %d is not a multiple of 64", l.Columns)
	}
	return err
}

func (d *Decoder) read(r *reader) error {
	return r.members([]string{"question_types"}, fields{
		"question_types": func() error {
			err := r.array(func(index int) error {
				if index == 256 {
					return malformed("more than 256")
				}
				var question QuestionType
				d.QuestionTypes = append(d.QuestionTypes, question)
				last := &d.QuestionTypes[index]
				return r.members([]string{"name", "inverse_temperature"}, fields{
					"name": func() (err error) {
						last.Name, err = r.text()
						return err
					},
					"inverse_temperature": number(r, &last.InverseTemperature, func(v float64) bool { return v > 0 && v <= 1000 }),
				})
			})
			if err == nil && len(d.QuestionTypes) == 0 {
				err = malformed("empty")
			}
			return err
		},
	})
}

// agree checks conditions on several members.
func (c *Config) agree() error {
	if err := c.mediaAgree(); err != nil {
		return err
	}
	if c.Layers == 0 {
		if c.Heads != 0 || c.Hidden != 0 {
			return malformed("heads %d and hidden %d must be 0 without layers", c.Heads, c.Hidden)
		}
		return nil
	}
	switch {
	case c.Hidden == 0:
		return malformed("hidden: 0 with %d layers", c.Layers)
	case c.Heads == 0 || c.Width%c.Heads != 0 || c.Width/c.Heads%2 != 0:
		return malformed("heads: %d do not divide a width of %d evenly by two", c.Heads, c.Width)
	}
	return nil
}
