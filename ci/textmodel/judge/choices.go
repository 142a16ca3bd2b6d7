package judge

import (
	"context"
	"math"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/uform"
)

// Choices returns the logits of a checkpoint whose inverse temperatures are one. They are the
// logarithms of its probabilities, which differ from the logits by a constant that does not matter.
func Choices(ctx context.Context, checkpoint []byte, questions []corpus.Question) ([]train.Scored, error) {
	_, model, err := Open(ctx, checkpoint, nil)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	arena, err := model.Library().NewArena(nil)
	if err != nil {
		return nil, err
	}
	defer arena.Close()
	var texts, choices uform.Tape
	types := make([]uint32, len(questions))
	for i, question := range questions {
		texts.AppendString(question.Text)
		choices.AppendString(question.Choices)
		types[i] = uint32(question.Type)
	}
	chosen, err := model.TextChoose(ctx, texts, choices, arena, &uform.ChooseOptions{QuestionTypes: types})
	if err != nil {
		return nil, err
	}
	all := make([]train.Scored, len(questions))
	for i, rows := range chosen.Probabilities.All() {
		all[i].Answer = questions[i].Answer
		for _, row := range rows.All() {
			all[i].Logits = append(all[i].Logits, math.Log(max(1e-12, float64(row[0]))))
		}
	}
	return all, nil
}
