package model

import "fmt"

// Layout describes a tensor of an architecture: a row of section 3 of docs/checkpoint.md.
type Layout struct {
	Name string
	// Rows and Columns are those of a matrix. A vector has one row.
	Rows, Columns int
	Vector        bool
}

// Size returns the number of elements.
func (l *Layout) Size() int { return l.Rows * l.Columns }

// Shape returns the shape of the tensor when stored as F32.
func (l *Layout) Shape() []int {
	if l.Vector {
		return []int{l.Columns}
	}
	return []int{l.Rows, l.Columns}
}

// Layouts returns all tensors of the architecture, in the order of section 3 of docs/checkpoint.md,
// without scales.
func (c *Config) Layouts() []Layout {
	var all []Layout
	matrix := func(name string, rows, columns int) {
		all = append(all, Layout{Name: name, Rows: rows, Columns: columns})
	}
	vector := func(name string, length int) {
		all = append(all, Layout{Name: name, Rows: 1, Columns: length, Vector: true})
	}
	matrix("bytes", 256, c.Width)
	if c.Grams != nil {
		matrix("grams", c.Grams.Buckets, c.Width)
	}
	for i := range c.Layers {
		layer := fmt.Sprintf("layers.%d.", i)
		vector(layer+"attention.norm", c.Width)
		for _, name := range []string{"query", "key", "value", "output"} {
			matrix(layer+"attention."+name, c.Width, c.Width)
		}
		vector(layer+"feedforward.norm", c.Width)
		matrix(layer+"feedforward.up", c.Hidden, c.Width)
		matrix(layer+"feedforward.down", c.Width, c.Hidden)
	}
	if c.Layers > 0 {
		vector("norm", c.Width)
	}
	matrix("projection", c.Columns, c.PooledColumns())
	vector("empty", c.EmbeddingColumns())
	if c.Lexical != nil {
		vector("lexical", c.Lexical.Buckets)
	}
	if c.Decoder != nil {
		matrix("decoder.head", 256, c.Width)
		vector("decoder.empty", c.Width)
	}
	if c.Image != nil {
		matrix("image.patches", c.Width, c.Image.PatchSize())
		matrix("image.positions", c.Image.Tokens(), c.Width)
	}
	if c.Video != nil {
		matrix("video.times", c.Video.Frames, c.Width)
	}
	if c.Audio != nil {
		matrix("audio.patches", c.Width, c.Audio.PatchSize())
	}
	return all
}
