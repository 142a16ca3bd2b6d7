package main

import (
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/unum-cloud/uform-go/internal/model"
)

const (
	width   = 64
	hidden  = 128
	columns = 64
	lane    = 128
	buckets = 4096
	weights = 2048
)

var config = &model.Config{
	Modalities: []string{"text", "image", "video", "audio"},
	Context:    1024, Width: width, Layers: 1, Heads: 2, Hidden: hidden, Columns: columns, Skip: true,
	Grams:   &model.Grams{Sizes: []int{3, 4, 5}, Hashes: 2, Buckets: buckets, Words: true, Fold: true},
	Lexical: &model.Lexical{Sizes: []int{3, 4, 5}, Buckets: weights, Fold: true, Columns: lane, Share: 0.5},
	Image:   &model.Image{Side: 64, Patch: 16},
	Video:   &model.Video{Frames: 4},
	Audio: &model.Audio{
		Rate: 16000, Window: 400, Hop: 160, Mels: 40, Low: 20, High: 7600, Frames: 8, Mean: -6, Deviation: 4,
	},
	Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{
		{Name: "choice", InverseTemperature: 1},
		{Name: "sure", InverseTemperature: 4},
	}},
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: makemini FILE")
	}
	file, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := model.Write(file, config, tensors()); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}

// tensors draws the weights. The rows of n-grams outweigh those of single bytes, and the layer
// changes its input little, so that embeddings mainly reflect shared words.
func tensors() []model.Tensor {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(rows, columns int, scale float64) []float32 {
		values := make([]float32, rows*columns)
		for i := range values {
			values[i] = float32(random.NormFloat64() * scale)
		}
		return values
	}
	constant := func(n int, value float32) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = value
		}
		return values
	}
	square := func(name string, scale float64) model.Tensor {
		return model.HalfTensor(name, draw(width, width, scale/math.Sqrt(width)), width, width)
	}
	list := model.Int8Tensors("bytes", draw(256, width, 0.1), 256, width)
	list = append(list, model.Int4Tensors("grams", draw(buckets, width, 1), buckets, width)...)
	list = append(list,
		model.FloatTensor("layers.0.attention.norm", constant(width, 1), width),
		square("layers.0.attention.query", 1), square("layers.0.attention.key", 1),
		square("layers.0.attention.value", 1), square("layers.0.attention.output", 0.2),
		model.FloatTensor("layers.0.feedforward.norm", constant(width, 1), width),
		model.HalfTensor("layers.0.feedforward.up", draw(hidden, width, 1/math.Sqrt(width)), hidden, width),
		model.HalfTensor("layers.0.feedforward.down", draw(width, hidden, 0.2/math.Sqrt(hidden)), width, hidden),
		model.FloatTensor("norm", constant(width, 1), width),
		model.HalfTensor("projection", draw(columns, 2*width, 1/math.Sqrt(2*width)), columns, 2*width),
		model.FloatTensor("empty", unit(draw(1, columns+lane, 1)), columns+lane),
		model.FloatTensor("lexical", constant(weights, 1), weights),
		model.HalfTensor("decoder.head", draw(256, width, 1/math.Sqrt(width)), 256, width),
		model.FloatTensor("decoder.empty", draw(1, width, 1), width),
	)
	// New tensors are drawn after the older ones, so that texts keep their vectors.
	pixels, bands := config.Image.PatchSize(), config.Audio.PatchSize()
	tokens, frames := config.Image.Tokens(), config.Video.Frames
	list = append(list, model.Int4Tensors("image.patches", draw(width, pixels, 2/math.Sqrt(float64(pixels))), width, pixels)...)
	list = append(list, model.HalfTensor("image.positions", draw(tokens, width, 0.3), tokens, width))
	list = append(list, model.HalfTensor("video.times", draw(frames, width, 0.1), frames, width))
	return append(list, model.Int4Tensors("audio.patches", draw(width, bands, 2/math.Sqrt(float64(bands))), width, bands)...)
}

func unit(vector []float32) []float32 {
	var squares float64
	for _, v := range vector {
		squares += float64(v) * float64(v)
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(squares))
	}
	return vector
}
