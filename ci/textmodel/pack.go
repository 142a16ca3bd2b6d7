package main

import (
	"bytes"
	"math"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

// most is the largest allowed checkpoint, in bytes.
const most = 4_000_000

// pack makes the checkpoint of a run: tables in four bits, the lane's weights in halves, and the
// lane beside the trained tensors.
func pack(trainer *train.Trainer, config *model.Config, weights []float32) ([]byte, error) {
	tensors := model.Int4Tensors("grams", trainer.Tensor("grams"), config.Grams.Buckets, width)
	tensors = append(tensors, model.Int4Tensors("bytes", trainer.Tensor("bytes"), 256, width)...)
	tensors = append(tensors, model.Int8Tensors("projection", trainer.Tensor("projection"), columns, width)...)
	tensors = append(tensors, model.HalfTensor("lexical", weights, len(weights)),
		model.FloatTensor("empty", nothing(config.EmbeddingColumns()), config.EmbeddingColumns()))
	var file bytes.Buffer
	err := model.Write(&file, config, tensors)
	return file.Bytes(), err
}

// packDeciding makes the checkpoint of a run of the decoder: tensors that were packed before get
// the same values again, the rest is in four bits.
func packDeciding(trainer *train.Trainer) ([]byte, error) {
	config := trainer.Config()
	var tensors []model.Tensor
	for _, layout := range config.Layouts() {
		values := trainer.Tensor(layout.Name)
		switch {
		case layout.Name == "lexical":
			tensors = append(tensors, model.HalfTensor(layout.Name, values, layout.Shape()...))
		case layout.Name == "projection":
			tensors = append(tensors, model.Int8Tensors(layout.Name, values, layout.Rows, layout.Columns)...)
		case layout.Vector:
			tensors = append(tensors, model.FloatTensor(layout.Name, values, layout.Shape()...))
		default:
			tensors = append(tensors, model.Int4Tensors(layout.Name, values, layout.Rows, layout.Columns)...)
		}
	}
	var file bytes.Buffer
	err := model.Write(&file, config, tensors)
	return file.Bytes(), err
}

// packSensing makes the checkpoint of a model of pictures and sound: tables of texts in four bits,
// all other matrices in eight.
func packSensing(trainer *train.Trainer) ([]byte, error) {
	config := trainer.Config()
	var tensors []model.Tensor
	for _, layout := range config.Layouts() {
		values := trainer.Tensor(layout.Name)
		switch {
		case layout.Vector:
			tensors = append(tensors, model.FloatTensor(layout.Name, values, layout.Shape()...))
		case layout.Name == "bytes" || layout.Name == "grams":
			tensors = append(tensors, model.Int4Tensors(layout.Name, values, layout.Rows, layout.Columns)...)
		default:
			tensors = append(tensors, model.Int8Tensors(layout.Name, values, layout.Rows, layout.Columns)...)
		}
	}
	var file bytes.Buffer
	err := model.Write(&file, config, tensors)
	return file.Bytes(), err
}

// nothing returns the embedding of an empty text: a vector with no preferred direction, as far as a
// row of bytes of length 127 permits. With equal scalars all would be rounded the same way: .0510
// of 384 columns to 6 for 6.48.
func nothing(columns int) []float32 {
	const unit = 127
	low := int(unit / math.Sqrt(float64(columns)))
	higher := int(math.Round(float64(unit*unit-columns*low*low) / float64(2*low+1)))
	length := math.Sqrt(float64(columns*low*low + higher*(2*low+1)))
	vector := make([]float32, columns)
	for i := range vector {
		step := low + (i+1)*higher/columns - i*higher/columns
		vector[i] = float32(float64(step) / length)
	}
	return vector
}
