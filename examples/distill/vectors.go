package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// vectors are those of a teacher for texts, of length 1, as half floats end to end.
type vectors struct {
	columns int
	halves  []uint16
}

// row writes the vector of a text.
func (v *vectors) row(dst []float32, text int) {
	kernel.FromF16(dst, v.halves[text*v.columns:(text+1)*v.columns])
}

// count returns the number of texts.
func (v *vectors) count() int { return len(v.halves) / v.columns }

// digest is the name of a text in a cache.
type digest [16]byte

func digestOf(text string) digest {
	sum := sha256.Sum256([]byte(text))
	return digest(sum[:16])
}

// cache is a file of vectors. It begins with cacheMark, the number of columns and the vector of
// [probe] in f32; a digest and a vector in halves follow for each text. It only grows, so what was
// written before an interrupt is of use in the next run, for any texts.
type cache struct {
	file    *os.File
	columns int
	name    string
}

const (
	cacheMark = "uform teacher 1\n"
	// probe is the text by which a cache recognizes its teacher, wherever that stands.
	probe = "The same text has the same vector only from the same teacher."
	// alike is the least cosine of two vectors of one text by one teacher. Processors round
	// differently, and servers more so.
	alike = 0.999
)

func (c *cache) headerBytes() int64 { return int64(len(cacheMark) + 4 + 4*c.columns) }

func (c *cache) recordBytes() int { return len(digest{}) + 2*c.columns }

// openCache opens the cache at path, or begins one, with the teacher's vector of the probe.
func openCache(path string, probed []float32) (_ *cache, err error) {
	c := &cache{columns: len(probed), name: path}
	if c.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.file.Close()
		}
	}()
	info, err := c.file.Stat()
	if err != nil {
		return nil, err
	}
	header := append([]byte(cacheMark), binary.LittleEndian.AppendUint32(nil, uint32(c.columns))...)
	for _, v := range probed {
		header = binary.LittleEndian.AppendUint32(header, math.Float32bits(v))
	}
	there := make([]byte, min(info.Size(), c.headerBytes()))
	if _, err := io.ReadFull(c.file, there); err != nil {
		return nil, err
	}
	if len(there) < len(cacheMark) && string(there) == cacheMark[:len(there)] { // new, or cut in its first write
		_, err = c.file.WriteAt(header, 0)
		return c, errors.Join(err, c.file.Truncate(int64(len(header))))
	}
	const mend = "remove it, or name another -o"
	switch {
	case len(there) < len(cacheMark) || string(there[:len(cacheMark)]) != cacheMark:
		return nil, fmt.Errorf("%s is no file of a teacher's vectors: %s", path, mend)
	case len(there) < len(header) || string(there[:len(cacheMark)+4]) != string(header[:len(cacheMark)+4]):
		return nil, fmt.Errorf("%s has vectors of another width than the teacher's %d columns: %s", path, c.columns, mend)
	}
	var product float64
	for i, v := range probed {
		product += float64(v) * float64(math.Float32frombits(binary.LittleEndian.Uint32(there[len(cacheMark)+4+4*i:])))
	}
	if !(product >= alike) {
		return nil, fmt.Errorf("%s has vectors of another teacher (a cosine of %.3f for the same text): %s", path, product, mend)
	}
	// A record that an interrupt has cut is written again.
	whole := (info.Size() - c.headerBytes()) / int64(c.recordBytes())
	return c, c.file.Truncate(c.headerBytes() + whole*int64(c.recordBytes()))
}

// read fills vectors with those of the texts that the cache has, by their index, and returns which.
func (c *cache) read(v *vectors, index map[digest]int) (found []bool, err error) {
	if _, err := c.file.Seek(c.headerBytes(), io.SeekStart); err != nil {
		return nil, err
	}
	found = make([]bool, v.count())
	from, record := bufio.NewReaderSize(c.file, 1<<20), make([]byte, c.recordBytes())
	for {
		if _, err := io.ReadFull(from, record); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		i, wanted := index[digest(record)]
		if !wanted {
			continue
		}
		found[i] = true
		row := v.halves[i*c.columns : (i+1)*c.columns]
		for k := range row {
			row[k] = binary.LittleEndian.Uint16(record[len(digest{})+2*k:])
			if row[k]&0x7C00 == 0x7C00 {
				return nil, fmt.Errorf("%s is damaged: it has a vector that is not finite: remove it", c.name)
			}
		}
	}
}

// add appends the vectors of texts, in one write.
func (c *cache) add(texts []string, rows []uint16) error {
	var records []byte
	for i, text := range texts {
		name := digestOf(text)
		records = append(records, name[:]...)
		for _, half := range rows[i*c.columns : (i+1)*c.columns] {
			records = binary.LittleEndian.AppendUint16(records, half)
		}
	}
	_, err := c.file.Write(records)
	return err
}

// teach returns the teacher's vectors of texts, all different: those that the cache at path has,
// and the others, which it adds to the cache as they come. report is told how many are done.
func teach(ctx context.Context, from teacher, path string, texts []string, report func(done, total int)) (v *vectors, err error) {
	probed, err := from.embed(ctx, []string{probe})
	if err != nil {
		return nil, err
	}
	first := make([]float32, len(probed[0]))
	if err := unit(first, probed[0], probe); err != nil {
		return nil, err
	}
	kept, err := openCache(path, first)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, kept.file.Close()) }()
	v = &vectors{columns: kept.columns, halves: make([]uint16, len(texts)*kept.columns)}
	index := make(map[digest]int, len(texts))
	for i, text := range texts {
		index[digestOf(text)] = i
	}
	found, err := kept.read(v, index)
	if err != nil {
		return nil, err
	}
	var missing []int
	for i, there := range found {
		if !there {
			missing = append(missing, i)
		}
	}
	done := len(texts) - len(missing)
	for len(missing) > 0 {
		report(done, len(texts))
		now := missing[:min(from.batch(), len(missing))]
		missing = missing[len(now):]
		if err := v.ask(ctx, from, kept, texts, now); err != nil {
			return nil, err
		}
		if done += len(now); len(missing) == 0 {
			report(done, len(texts))
		}
	}
	return v, nil
}

// ask asks the teacher for the vectors of some texts, by their indices.
func (v *vectors) ask(ctx context.Context, from teacher, kept *cache, texts []string, now []int) error {
	batch := make([]string, len(now))
	for i, at := range now {
		batch[i] = texts[at]
	}
	rows, err := from.embed(ctx, batch)
	if err != nil {
		return err
	}
	halves, row := make([]uint16, len(now)*v.columns), make([]float32, v.columns)
	for i, at := range now {
		if len(rows[i]) != v.columns {
			return fmt.Errorf("the teacher's vector of %q has %d columns, others %d", short(batch[i]), len(rows[i]), v.columns)
		}
		if err := unit(row, rows[i], batch[i]); err != nil {
			return err
		}
		kernel.ToF16(halves[i*v.columns:(i+1)*v.columns], row)
		copy(v.halves[at*v.columns:(at+1)*v.columns], halves[i*v.columns:])
	}
	return kept.add(batch, halves)
}

// unit writes a vector at length 1.
func unit(dst, vector []float32, text string) error {
	var squares float64
	for _, v := range vector {
		squares += float64(v) * float64(v)
	}
	if !(squares > 0) || math.IsInf(squares, 0) {
		return fmt.Errorf("the teacher's vector of %q has length %v: leave the line out", short(text), math.Sqrt(squares))
	}
	for i, v := range vector {
		dst[i] = float32(float64(v) / math.Sqrt(squares))
	}
	return nil
}

// short returns the beginning of a text, for a message.
func short(text string) string {
	const most = 60
	letters := []rune(text)
	if len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}
