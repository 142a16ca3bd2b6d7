package engine_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
)

// stepping is one call of trainer_step with all of its outputs.
type stepping struct {
	abi.TrainerStep
	outcome    abi.Outcome
	embeddings abi.RowsView
	stats      abi.TrainerStats
	modalities []abi.Modality
}

// trainer starts a run from a checkpoint of config, freed when the test ends.
func (w *world) trainer(executor abi.Executor, config *model.Config) abi.Trainer {
	w.t.Helper()
	return w.trainerOf(executor, checkpoint(w.t, config))
}

func (w *world) trainerOf(executor abi.Executor, file []byte) abi.Trainer {
	w.t.Helper()
	var id abi.Trainer
	var outcome abi.Outcome
	w.TrainerInitBytes(&abi.TrainerInit{Trainer: &id, Executor: executor, Outcome: &outcome}, file)
	requireSuccess(w.t, &outcome)
	w.t.Cleanup(func() { w.TrainerFree(id) })
	return id
}

// stepping requests a step over texts, and their embeddings if an arena is named.
func (w *world) stepping(id abi.Trainer, executor abi.Executor, arena abi.Arena, texts ...string) *stepping {
	s := &stepping{modalities: make([]abi.Modality, len(texts))}
	s.outcome = abi.Outcome{Status: -77, Item: -77, Message: 77, Call: 77}
	s.stats = abi.TrainerStats{Step: 77, Items: 77, Loss: 77, GradientNorm: 77}
	s.embeddings = abi.RowsView{Stride: 77}
	s.TrainerStep = abi.TrainerStep{
		Trainer: id, Executor: executor, Outcome: &s.outcome, Count: uintptr(len(texts)), Contents: tape(texts...),
		Arena: arena, Stats: &s.stats,
	}
	if len(texts) > 0 {
		s.Modalities = &s.modalities[0]
	}
	if arena != 0 {
		s.Embeddings = &s.embeddings
	}
	return s
}

func (w *world) steps(s *stepping) *stepping {
	w.t.Helper()
	w.TrainerStep(&s.TrainerStep)
	requireSuccess(w.t, &s.outcome)
	return s
}

// stumbles requires that a step fails, and leaves no outputs.
func (w *world) stumbles(s *stepping, status abi.Status, item int) {
	w.t.Helper()
	w.TrainerStep(&s.TrainerStep)
	requireFailure(w.t, &s.outcome, status, item)
	require.Zero(w.t, s.stats)
	if s.Embeddings != nil {
		require.Zero(w.t, s.embeddings)
	}
}

// saves returns the file that a trainer saves.
func (w *world) saves(id abi.Trainer, executor abi.Executor, path string) {
	w.t.Helper()
	var outcome abi.Outcome
	w.TrainerSave(&abi.TrainerSave{Trainer: id, Executor: executor, Outcome: &outcome, Path: text(path)})
	requireSuccess(w.t, &outcome)
}

// embed returns the embeddings of texts by a checkpoint.
func (w *world) embed(t testing.TB, file []byte, texts ...string) []float32 {
	t.Helper()
	var id abi.Model
	var outcome abi.Outcome
	w.ModelLoadBytes(&abi.ModelLoad{Model: &id, Outcome: &outcome}, file)
	requireSuccess(t, &outcome)
	defer w.ModelFree(id)
	arena := w.arena()
	e := w.encoding(id, arena, texts...)
	e.States = nil
	w.TextEncode(&e.TextEncode)
	requireSuccess(t, &e.outcome)
	return floats(e.embeddings, len(texts))
}

// container returns a file of tensors.
func container(t testing.TB, metadata map[string]string, tensors []model.Tensor) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, model.WriteContainer(&file, metadata, tensors))
	return file.Bytes()
}
