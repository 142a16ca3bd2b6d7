package train_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
)

// A run of a model with a fold learns from texts the same, to the bit, as the run without the fold
// from folded texts.
func TestAFoldedTextTeachesAsAnother(t *testing.T) {
	config := &model.Config{
		Modalities: []string{"text"}, Context: 40, Width: 12, Layers: 1, Heads: 2, Hidden: 17, Columns: 8, Skip: true,
		Grams:   &model.Grams{Sizes: []int{2, 3}, Hashes: 2, Buckets: 40, Words: true},
		Lexical: &model.Lexical{Sizes: []int{2}, Buckets: 50, Columns: 64, Share: 0.3},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{{Name: "plain", InverseTemperature: 1}}},
	}
	texts := []string{"  A Cat\u00A0 ", "das KÄTZCHEN!!!!!", "E\u0301T\u00C9", "**bold** words", " \t", "Что-ТО"}
	steps := func(named string, fold func(string) string) (losses []float64, file []byte) {
		config.Fold = named
		checkpoint, err := modeltest.Checkpoint(rand.New(rand.NewPCG(3, 1)), config)
		require.NoError(t, err)
		trainer, err := train.New(checkpoint, nil)
		require.NoError(t, err)
		defer trainer.Close()
		batch := &train.Batch{Neighbours: true}
		for _, text := range texts {
			batch.Items = append(batch.Items, train.Item{Text: []byte(fold(text))})
			batch.Questions = append(batch.Questions, train.Question{Text: []byte(fold(text)), Choices: []byte("ab")})
		}
		for range 3 {
			stats, err := trainer.Step(t.Context(), batch, &train.StepOptions{Losses: &train.Losses{Contrast: 1, Choice: 1}})
			require.NoError(t, err)
			losses = append(losses, stats.Loss)
		}
		var saved bytes.Buffer
		require.NoError(t, trainer.Write(&saved))
		return losses, saved.Bytes()
	}
	folding, saved := steps(fold.Name, func(text string) string { return text })
	plain, _ := steps("", func(text string) string {
		var folder fold.Folder
		return string(folder.Append(nil, []byte(text)))
	})
	require.Equal(t, plain, folding)
	weights, err := model.ReadWeights(saved)
	require.NoError(t, err)
	require.Equal(t, fold.Name, weights.Config.Fold, "the saved run folds as well")
}
