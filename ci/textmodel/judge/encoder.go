package judge

import (
	"context"
	"time"

	"github.com/unum-cloud/uform-go/uform"
)

// Encoder returns a vector of length 1 for each text.
type Encoder func(texts []string) ([][]float32, error)

// Open loads a checkpoint into the embedded engine. options may be nil.
func Open(ctx context.Context, checkpoint []byte, options *uform.LoadOptions) (Encoder, *uform.Model, error) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return nil, nil, err
	}
	model, err := library.LoadBytes(ctx, checkpoint, options)
	if err != nil {
		return nil, nil, err
	}
	return func(texts []string) ([][]float32, error) { return model.Embed(ctx, texts) }, model, nil
}

// Speed returns how many texts per second one thread encodes, the best of some rounds.
func Speed(encode Encoder, texts []string) (float64, error) {
	best := 0.0
	for range 5 {
		begin := time.Now()
		if _, err := encode(texts); err != nil {
			return 0, err
		}
		best = max(best, float64(len(texts))/time.Since(begin).Seconds())
	}
	return best, nil
}

func cosine(a, b []float32) (sum float64) {
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}
