package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
)

// shape is the size of a student. A member of zero is that of the named size, or follows from the
// others.
type shape struct {
	Columns, Width, Grams          int
	Layers, Heads, Hidden, Context int
}

// sizes are the students by name: without layers, bags of n-grams.
var sizes = map[string]shape{
	"tiny":  {Width: 64, Grams: 20_000},
	"small": {Width: 96, Grams: 73_500},
	"base":  {Width: 160, Grams: 150_000},
	"large": {Width: 256, Grams: 250_000},
}

// architecture returns a student's, with as many columns as the teacher unless others are asked
// for. A bag reads hashed n-grams within words and whole words; layers read the same rows.
func (s shape) architecture(size string, columns int) *model.Config {
	named := sizes[size]
	or := func(asked, otherwise int) int {
		if asked != 0 {
			return asked
		}
		return otherwise
	}
	config := &model.Config{
		Modalities: []string{"text"}, Context: or(s.Context, 2048), Fold: fold.Name,
		Width: or(s.Width, named.Width), Columns: or(s.Columns, columns),
		Grams: &model.Grams{Sizes: []int{3, 4, 5}, Hashes: 2, Buckets: or(s.Grams, named.Grams), Words: true, Within: true},
	}
	if s.Layers > 0 {
		config.Layers, config.Skip = s.Layers, true
		config.Hidden = or(s.Hidden, 4*config.Width)
		config.Heads = or(s.Heads, max(1, config.Width/32))
	}
	return config
}

// fault returns what is wrong with a shape, whatever the teacher's columns.
func (s shape) fault(size string) error {
	if min(s.Columns, s.Width, s.Grams, s.Layers, s.Heads, s.Hidden, s.Context) < 0 {
		return errors.New("a size is negative")
	}
	_, err := s.architecture(size, 1).Metadata()
	return err
}

// configOf returns the architecture of a checkpoint.
func configOf(checkpoint []byte) (*model.Config, error) {
	container, err := model.ReadContainer(checkpoint)
	if err != nil {
		return nil, err
	}
	return model.ParseConfig(container.Metadata["uform"])
}

// fresh returns the checkpoint of a new student. The more of the texts share an n-gram, the shorter
// its row is: the mean of a text's rows begins with what is rare in it.
func fresh(config *model.Config, texts []string, seed uint64) ([]byte, error) {
	file, err := train.Fresh(config, seed)
	if err != nil {
		return nil, err
	}
	weights, err := model.ReadWeights(file)
	if err != nil {
		return nil, err
	}
	var tensors []model.Tensor
	for i, layout := range weights.Config.Layouts() {
		values := weights.Tensors[i]
		if layout.Name == "grams" {
			shorten(values, config, texts)
		}
		tensors = append(tensors, model.FloatTensor(layout.Name, values, layout.Shape()...))
	}
	var out bytes.Buffer
	err = model.Write(&out, config, tensors)
	return out.Bytes(), err
}

// shorten scales the rows of the table of n-grams by their rarity in texts.
func shorten(table []float32, config *model.Config, texts []string) {
	in, last := make([]int, config.Grams.Buckets), make([]int, config.Grams.Buckets)
	var folder fold.Folder
	var folded, padded []byte
	var rows []uint32
	var ends []int
	for i, text := range texts {
		folded = folder.Append(folded[:0], []byte(text))
		rows, ends = config.Grams.AppendRows(rows[:0], ends[:0], folded, &padded)
		for _, row := range rows {
			if last[row] != i+1 {
				last[row] = i + 1
				in[row]++
			}
		}
	}
	most := math.Log(float64(len(texts)))
	for row, count := range in {
		rarity := math.Log(float64(len(texts))/float64(count+1)) / most
		factor := float32(math.Pow(max(0.002, rarity), 2) * 4)
		own := table[row*config.Width:][:config.Width]
		for k := range own {
			own[k] *= factor
		}
	}
}

// pack returns the checkpoint of a student in so many bits for each weight: 4 for tables with 8 for
// other matrices, 8, 16 or 32.
func pack(trainer *train.Trainer, bits int) ([]byte, error) {
	config := *trainer.Config()
	config.Training = nil
	var tensors []model.Tensor
	for _, layout := range config.Layouts() {
		values := trainer.Tensor(layout.Name)
		table := layout.Name == "bytes" || layout.Name == "grams"
		switch {
		case layout.Vector || bits == 32:
			tensors = append(tensors, model.FloatTensor(layout.Name, values, layout.Shape()...))
		case bits == 16:
			tensors = append(tensors, model.HalfTensor(layout.Name, values, layout.Shape()...))
		case bits == 4 && table:
			tensors = append(tensors, model.Int4Tensors(layout.Name, values, layout.Rows, layout.Columns)...)
		default:
			tensors = append(tensors, model.Int8Tensors(layout.Name, values, layout.Rows, layout.Columns)...)
		}
	}
	var file bytes.Buffer
	err := model.Write(&file, &config, tensors)
	return file.Bytes(), err
}

// aligned tells whether a student's embeddings can equal the teacher's vectors.
func aligned(config *model.Config, columns int) bool {
	return config.Lexical == nil && config.Columns == columns
}

// losses returns what a student minimizes, and says it. A student of other columns, or with a
// lexical lane, learns from similarities alone.
func losses(config *model.Config, columns int) (*train.Losses, string) {
	const alone = "the similarities of the teacher's vectors alone, since the student has "
	switch {
	case aligned(config, columns):
		return &train.Losses{Cosine: 1, Similarity: 5}, "the cosine to the teacher's vectors, and their similarities"
	case config.Lexical != nil:
		return &train.Losses{Similarity: 5}, alone + "a lexical lane"
	}
	return &train.Losses{Similarity: 5}, fmt.Sprintf("%s%d columns and the teacher %d", alone, config.Columns, columns)
}
