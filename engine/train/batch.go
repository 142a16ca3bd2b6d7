package train

import (
	stderrors "errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// Batch is what one step learns from. Its slices are read until the step returns.
type Batch struct {
	Items []Item
	// Groups has one number for each item; items with equal numbers match. An item with a negative
	// number has no group: it neither matches others nor is a negative for them. Nil means no
	// groups.
	Groups []int64
	// Neighbours pairs items instead: the first with the second, the third with the fourth. They
	// match nothing of other processes.
	Neighbours bool
	// Targets are vectors that items should be close to, nil for an item without one. All have one
	// width and any length but zero. Vectors as wide as the dense part of an embedding are targets
	// for that part, others for the whole embedding; where the loss is Similarity alone, the width
	// may be any. Nil means no targets.
	Targets [][]float32
	// Pairs are items whose similarity is scored.
	Pairs []Pair
	// Questions are for the byte decoder.
	Questions []Question
}

// Item is a text, a picture, a clip or a recording.
type Item struct {
	Modality abi.Modality
	// Text is a text's UTF-8. What does not fit into the context is cut off at its end.
	Text []byte
	// Patches are the tokens of all other modalities: vectors end to end, as [model.Patches] takes
	// them.
	Patches []float32
}

// Pair is two items by their indices in the batch. Only the order of scores counts.
type Pair struct {
	A, B  int
	Score float32
}

// Question is a text and the bytes that may follow it, of which one is right.
type Question struct {
	// Text is UTF-8. What does not fit into the context is cut off at its beginning.
	Text []byte
	// Choices are different, at least one; Answer is the index of the right one.
	Choices []byte
	Answer  int
	// Type is one of the decoder's question types.
	Type int
}

// Losses are the weights of the losses that a step minimizes. Each loss is a mean over its items,
// pairs or questions in all processes.
type Losses struct {
	// Contrast is InfoNCE over Groups: an item should be closer to those of its group than to all
	// others of their modality. Temperature is its temperature; zero means 0.05.
	Contrast, Temperature float64
	// Cosine is 1 − the cosine to a target, which must have as many columns as the embedding or its
	// dense part. Similarity is the squared difference between the cosines of two items and of
	// their targets, over all pairs of items with targets. A pair with equal targets weighs four
	// times more than one with targets at right angles.
	Cosine, Similarity float64
	// Rank is CoSENT over Pairs: a pair of a higher score should be closer. Differences of cosines
	// are multiplied by RankScale; zero means 20.
	Rank, RankScale float64
	// Choice is the cross-entropy of Questions at the inverse temperature of their types.
	Choice float64
}

func (l *Losses) check() error {
	for name, v := range map[string]float64{
		"Contrast": l.Contrast, "Temperature": l.Temperature, "Cosine": l.Cosine, "Similarity": l.Similarity,
		"Rank": l.Rank, "RankScale": l.RankScale, "Choice": l.Choice,
	} {
		if !(v >= 0 && v <= math.MaxFloat32) {
			return fmt.Errorf("%s is %v: %w", name, v, errors.ErrInvalidArgument)
		}
	}
	return nil
}

// sample is an item or a question on its way through a step.
type sample struct {
	modality abi.Modality
	text     []byte
	patches  []float32
	tokens   int
	question bool
	// The rows of the table of n-grams, and how many there are after each byte.
	rows []uint32
	ends []int
	// The memory of the text where the model folds it.
	folded []byte
}

// itemError names the item at fault.
type itemError struct {
	item int
	err  error
}

func (e *itemError) Error() string { return fmt.Sprintf("item %d: %v", e.item, e.err) }

func (e *itemError) Unwrap() error { return e.err }

// ItemOf returns the index of the item that an error of a step is about, −1 if there is none.
func ItemOf(err error) int {
	var of *itemError
	if stderrors.As(err, &of) {
		return of.item
	}
	return errors.NoItem
}

// admit checks a batch and lists its samples, items before questions.
func (r *run) admit(b *Batch, losses *Losses) error {
	if b.Groups != nil && len(b.Groups) != len(b.Items) || b.Targets != nil && len(b.Targets) != len(b.Items) {
		return fmt.Errorf("%d items have %d groups and %d targets: %w",
			len(b.Items), len(b.Groups), len(b.Targets), errors.ErrInvalidArgument)
	}
	r.samples = r.samples[:0]
	width := 0
	for i := range b.Items {
		s, err := r.sample(&b.Items[i])
		if err == nil && b.Targets != nil && b.Targets[i] != nil {
			if width == 0 {
				width = len(b.Targets[i])
			}
			err = r.checkTarget(b.Targets[i], width, losses)
		}
		if err != nil {
			return &itemError{i, err}
		}
		r.push(s)
	}
	for i, p := range b.Pairs {
		if p.A < 0 || p.A >= len(b.Items) || p.B < 0 || p.B >= len(b.Items) || p.A == p.B || p.Score != p.Score {
			return fmt.Errorf("pair %d joins items %d and %d of %d with score %v: %w",
				i, p.A, p.B, len(b.Items), p.Score, errors.ErrInvalidArgument)
		}
	}
	for i := range b.Questions {
		if err := r.admitQuestion(&b.Questions[i]); err != nil {
			return fmt.Errorf("question %d: %w", i, err)
		}
	}
	return nil
}

func (r *run) admitQuestion(q *Question) error {
	if r.config.Decoder == nil {
		return fmt.Errorf("the model has no byte decoder: %w", errors.ErrUnsupported)
	}
	var seen [256]bool
	for _, choice := range q.Choices {
		if seen[choice] {
			return fmt.Errorf("choice %q occurs twice: %w", choice, errors.ErrInvalidArgument)
		}
		seen[choice] = true
	}
	switch {
	case q.Answer < 0 || q.Answer >= len(q.Choices):
		return fmt.Errorf("answer %d of %d choices: %w", q.Answer, len(q.Choices), errors.ErrInvalidArgument)
	case q.Type < 0 || q.Type >= len(r.config.Decoder.QuestionTypes):
		return fmt.Errorf("the model has no question type %d: %w", q.Type, errors.ErrInvalidArgument)
	case !utf8.Valid(q.Text):
		return fmt.Errorf("the text is not UTF-8: %w", errors.ErrMalformed)
	}
	text := q.Text[max(0, len(q.Text)-r.config.Context):]
	r.push(sample{text: text, tokens: len(text), question: true})
	return nil
}

// push appends a sample, in the memory of one of an earlier step. It folds the text if the model
// does.
func (r *run) push(s sample) {
	if next := len(r.samples); next < cap(r.samples) {
		before := &r.samples[:next+1][next]
		s.rows, s.ends, s.folded = before.rows[:0], before.ends[:0], before.folded[:0]
	}
	if r.config.Fold != "" && s.modality == abi.ModalityText {
		s.folded = r.folder.Append(s.folded, s.text)
		s.text, s.tokens = s.folded, len(s.folded)
	}
	r.samples = append(r.samples, s)
}

// sample checks an item.
func (r *run) sample(item *Item) (sample, error) {
	s := sample{modality: item.Modality}
	size := 0
	switch {
	case item.Modality == abi.ModalityText:
		if !utf8.Valid(item.Text) {
			return s, fmt.Errorf("the text is not UTF-8: %w", errors.ErrMalformed)
		}
		s.text = item.Text[:min(len(item.Text), r.config.Context)]
		s.tokens = len(s.text)
		return s, nil
	case item.Modality == abi.ModalityImage && r.serves("image"), item.Modality == abi.ModalityVideo && r.serves("video"):
		size = r.config.Image.PatchSize()
	case item.Modality == abi.ModalityAudio && r.serves("audio"):
		size = r.config.Audio.PatchSize()
	default:
		return s, fmt.Errorf("the model has no %v: %w", item.Modality, errors.ErrUnsupported)
	}
	s.patches, s.tokens = item.Patches, len(item.Patches)/size
	right := s.tokens <= r.config.Context
	switch item.Modality {
	case abi.ModalityImage:
		right = s.tokens == r.config.Image.Tokens()
	case abi.ModalityVideo:
		right = s.tokens == r.config.Video.Frames*r.config.Image.Tokens()
	}
	if len(s.patches) > 0 && (!right || len(s.patches)%size != 0) {
		return s, fmt.Errorf("%d scalars of patches do not fit the model for %v: %w", len(s.patches), item.Modality, errors.ErrShapeMismatch)
	}
	return s, nil
}

func (r *run) serves(modality string) bool {
	for _, name := range r.config.Modalities {
		if name == modality {
			return true
		}
	}
	return false
}

func (r *run) checkTarget(target []float32, width int, losses *Losses) error {
	if len(target) != width {
		return fmt.Errorf("a target of %d scalars after one of %d: %w", len(target), width, errors.ErrShapeMismatch)
	}
	if losses.Cosine > 0 && width != r.config.Columns && width != r.config.EmbeddingColumns() {
		return fmt.Errorf("a target of %d scalars where the dense part has %d and an embedding %d, for the loss Cosine: %w",
			width, r.config.Columns, r.config.EmbeddingColumns(), errors.ErrShapeMismatch)
	}
	var squares float64
	for _, v := range target {
		squares += float64(v) * float64(v)
	}
	if !(squares > 0) || math.IsInf(squares, 0) {
		return fmt.Errorf("a target of length %v: %w", math.Sqrt(squares), errors.ErrMalformed)
	}
	return nil
}
