package model

import "fmt"

// Layout is a tensor that an architecture has: a row of section 3 of docs/checkpoint.md.
type Layout struct {
	Name string
	// Rows and Columns are a matrix's. A vector is one row.
	Rows, Columns int
	Vector        bool
}

// Size is how many elements it has.
func (l *Layout) Size() int { return l.Rows * l.Columns }

// Shape is how an F32 tensor of it is stored.
func (l *Layout) Shape() []int {
	if l.Vector {
		return []int{l.Columns}
	}
	return []int{l.Rows, l.Columns}
}

// Layouts are all tensors of the architecture, in the order of section 3 of docs/checkpoint.md. Scales are not among them.
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
