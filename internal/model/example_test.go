package model_test

import (
	"bytes"
	"fmt"

	"github.com/unum-cloud/uform-go/internal/model"
)

// A very small model distinguishes vowels from consonants: a byte's row is its embedding.
func Example() {
	const width = 2
	rows := make([]float32, 256*width)
	for b := range 256 {
		rows[b*width] = 1
		if bytes.IndexByte([]byte("aeiou"), byte(b)) >= 0 {
			rows[b*width], rows[b*width+1] = 0, 1
		}
	}
	var file bytes.Buffer
	err := model.Write(&file, &model.Config{Modalities: []string{"text"}, Context: 64, Width: width, Columns: width}, []model.Tensor{
		model.HalfTensor("bytes", rows, 256, width),
		model.FloatTensor("projection", []float32{1, 0, 0, 1}, width, width),
		model.FloatTensor("empty", []float32{1, 0}, width),
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	vowels, err := model.Parse(file.Bytes(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	texts := [][]byte{[]byte("aeiou"), []byte("rhythm"), []byte("banana"), nil}
	embeddings := make([]float32, len(texts)*int(vowels.Describe().EmbeddingColumns))
	var scratch model.Scratch // reused from call to call
	if err := vowels.Encode(&scratch, texts, embeddings, nil, nil); err != nil {
		fmt.Println(err)
		return
	}
	for i, text := range texts {
		fmt.Printf("%q %.2f\n", text, embeddings[i*width:(i+1)*width])
	}
	// Output:
	// "aeiou" [0.00 1.00]
	// "rhythm" [1.00 0.00]
	// "banana" [0.71 0.71]
	// "" [1.00 0.00]
}
