// Package collection keeps items with their vectors in a folder: what the command search makes,
// extends and asks.
//
// The folder has three files: index.json says by which model it was made, items.jsonl has a line
// for each item, and vectors a row for each that was not removed; its key is the number of the line
// from 0. The vectors are written last, and atomically: lines of items that have no vector are
// those of an addition that was interrupted, or were removed, and are ignored.
package collection

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// LongestText is how much of an item's text is kept for showing it, in bytes.
const LongestText = 2000

// Info is what index.json has.
type Info struct {
	Version int `json:"version"`
	// Model is the name or the absolute path of the model, Scalar the kind of its weights, empty
	// for that of the file.
	Model  string `json:"model"`
	Scalar string `json:"scalar,omitempty"`
}

const version = 1

// Item is a line of items.jsonl.
type Item struct {
	// Name is the file, and the line; Source is the file alone.
	Name   string `json:"item"`
	Source string `json:"source"`
	// Text is the beginning of a text.
	Text string `json:"text,omitempty"`
}

// Collection is an open folder. One process at a time may change it, on one goroutine; any number
// of goroutines may search while none changes it.
type Collection struct {
	Info
	folder  string
	vectors *nearest.Index
	items   *os.File
	// starts are the offsets of the lines of items, and the end of the last.
	starts []int64
	added  *bufio.Writer
}

func (c *Collection) path(name string) string { return filepath.Join(c.folder, name) }

const (
	infoFile    = "index.json"
	itemsFile   = "items.jsonl"
	vectorsFile = "vectors"
)

// Exists reports whether there is a collection at a path.
func Exists(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, infoFile))
	return err == nil
}

// Create makes a folder with an empty collection. A folder that has other files is refused.
func Create(folder string, info Info, options *nearest.Options) (*Collection, error) {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case slices.ContainsFunc(entries, isForeign):
		return nil, fmt.Errorf("%s is a folder with other files: name one that does not exist", folder)
	}
	info.Version = version
	c := &Collection{Info: info, folder: folder, starts: []int64{0}}
	if c.vectors, err = nearest.New(options); err != nil {
		return nil, err
	}
	if c.items, err = os.OpenFile(c.path(itemsFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666); err != nil {
		return nil, errors.Join(err, c.vectors.Close())
	}
	return c, nil
}

// isForeign reports whether an entry is none of those that a creation that was killed leaves.
func isForeign(entry fs.DirEntry) bool {
	name := entry.Name()
	return name != itemsFile && name != vectorsFile && filepath.Ext(name) != ".partial"
}

// Open opens a collection.
func Open(folder string) (*Collection, error) {
	c := &Collection{folder: folder}
	text, err := os.ReadFile(c.path(infoFile))
	if err != nil {
		return nil, fmt.Errorf("%s is not an index: %w", folder, err)
	}
	if err := json.Unmarshal(text, &c.Info); err != nil {
		return nil, fmt.Errorf("%s is not an index: %s: %w", folder, infoFile, err)
	}
	if c.Version != version {
		return nil, fmt.Errorf("%s is an index of version %d, and this program knows version %d", folder, c.Version, version)
	}
	if c.vectors, err = nearest.Open(c.path(vectorsFile)); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	if c.items, err = os.OpenFile(c.path(itemsFile), os.O_RDWR, 0); errors.Is(err, fs.ErrPermission) {
		c.items, err = os.Open(c.path(itemsFile)) // enough for asking
	}
	if err == nil {
		err = c.locate()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// locate finds the lines of items that have a vector, or are before one that has.
func (c *Collection) locate() error {
	lines := uint64(0)
	for key := range c.vectors.Keys() {
		lines = max(lines, key+1)
	}
	c.starts = append(c.starts, 0)
	reader := bufio.NewReaderSize(c.items, 256<<10)
	for at := int64(0); uint64(len(c.starts)) <= lines; {
		part, err := reader.ReadSlice('\n')
		at += int64(len(part))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s ends after %d items, and the vectors have %d", c.path(itemsFile), len(c.starts)-1, lines)
		case err != nil:
			return err
		}
		c.starts = append(c.starts, at)
	}
	return nil
}

// Vectors are the rows. They must not be changed.
func (c *Collection) Vectors() *nearest.Index { return c.vectors }

// Len is the number of items.
func (c *Collection) Len() int { return c.vectors.Len() }

// Add adds items with their vectors. They last once Save has returned.
func (c *Collection) Add(items []Item, vectors [][]float32) error {
	end := c.starts[len(c.starts)-1]
	if c.added == nil {
		if err := c.items.Truncate(end); err != nil {
			return err
		}
		if _, err := c.items.Seek(end, io.SeekStart); err != nil {
			return err
		}
		c.added = bufio.NewWriterSize(c.items, 256<<10)
	}
	first := uint64(len(c.starts) - 1)
	keys := make([]uint64, len(items))
	for i, item := range items {
		keys[i] = first + uint64(i)
		item.Text = head(item.Text)
		line, err := json.Marshal(item)
		if err != nil {
			return err
		}
		if _, err := c.added.Write(append(line, '\n')); err != nil {
			return err
		}
		end += int64(len(line)) + 1
		c.starts = append(c.starts, end)
	}
	return c.vectors.Add(keys, vectors)
}

// head is the beginning of a text, whole characters.
func head(text string) string {
	if len(text) <= LongestText {
		return text
	}
	end := LongestText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// Remove removes the items of sources, and returns how many there were.
func (c *Collection) Remove(of func(source string) bool) (int, error) {
	if len(c.starts) == 1 {
		return 0, nil
	}
	if c.added != nil { // the next Add begins at the end again
		if err := c.added.Flush(); err != nil {
			return 0, err
		}
		c.added = nil
	}
	var keys []uint64
	if _, err := c.items.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	reader := bufio.NewReaderSize(io.LimitReader(c.items, c.starts[len(c.starts)-1]), 256<<10)
	for key := range uint64(len(c.starts) - 1) {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		item, err := c.parse(line, key)
		if err != nil {
			return 0, err
		}
		if of(item.Source) {
			keys = append(keys, key)
		}
	}
	return c.vectors.Delete(keys)
}

// Save makes all changes last, at once.
func (c *Collection) Save(ctx context.Context) error {
	if c.added != nil {
		if err := errors.Join(c.added.Flush(), c.items.Sync()); err != nil {
			return err
		}
	}
	if err := c.vectors.Save(ctx, c.path(vectorsFile)); err != nil {
		return err
	}
	return platform.ReplaceFile(c.path(infoFile), func(to io.Writer) error {
		encoder := json.NewEncoder(to)
		encoder.SetIndent("", "  ")
		return encoder.Encode(c.Info)
	})
}

// Found is an item that was found.
type Found struct {
	Item
	Score float64 `json:"score"`
}

// Search returns the k items that are nearest to a vector, best first.
func (c *Collection) Search(ctx context.Context, vector []float32, k int) ([]Found, error) {
	matches, err := c.vectors.Search(ctx, vector, k, nil)
	if err != nil {
		return nil, err
	}
	found := make([]Found, len(matches))
	for i, match := range matches {
		if match.Key >= uint64(len(c.starts)-1) {
			return nil, fmt.Errorf("there is no item %d: %w", match.Key, uform.ErrMalformed)
		}
		begin, end := c.starts[match.Key], c.starts[match.Key+1]
		line := make([]byte, end-begin)
		if _, err := c.items.ReadAt(line, begin); err != nil {
			return nil, err
		}
		item, err := c.parse(line, match.Key)
		if err != nil {
			return nil, err
		}
		found[i] = Found{item, match.Score}
	}
	return found, nil
}

func (c *Collection) parse(line []byte, key uint64) (item Item, err error) {
	if err = json.Unmarshal(line, &item); err != nil {
		err = fmt.Errorf("%s:%d: %w", c.path(itemsFile), key+1, err)
	}
	return item, err
}

// Close closes the collection, without saving.
func (c *Collection) Close() error {
	err := c.vectors.Close()
	if c.items != nil {
		err = errors.Join(err, c.items.Close())
	}
	return err
}
