package train

import "context"

// Gradients returns the gradients of a batch, by the names of tensors, and the loss. Nothing is
// updated.
func (t *Trainer) Gradients(ctx context.Context, batch *Batch, losses *Losses) (map[string][]float32, float64, error) {
	defer t.clearGradients()
	options := &StepOptions{}
	fault := t.begin(ctx, batch, options, losses)
	loss, _, err := t.slope(ctx, batch, options, losses, fault)
	gradients := map[string][]float32{}
	for _, p := range t.all {
		if !p.fixed {
			gradients[p.Name] = append([]float32(nil), p.gradient...)
		}
	}
	return gradients, loss, err
}
