package main

import (
	"bytes"
	"maps"
	"os"
	"slices"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
)

// refold sets the fold of whole texts in a checkpoint, in place of that of bytes, and the embedding
// of an empty text of this version. The weights stay unchanged.
func (s *settings) refold() error {
	file, err := os.ReadFile(s.checkpoint)
	if err != nil {
		return err
	}
	container, err := model.ReadContainer(file)
	if err != nil {
		return err
	}
	config, err := model.ParseConfig(container.Metadata["uform"])
	if err != nil {
		return err
	}
	config.Fold, config.Grams.Fold = fold.Name, false
	if config.Lexical != nil {
		config.Lexical.Fold = false
	}
	var tensors []model.Tensor
	for _, name := range slices.Sorted(maps.Keys(container.Tensors)) {
		if name == "empty" {
			continue
		}
		tensors = append(tensors, container.Tensors[name])
	}
	columns := config.EmbeddingColumns()
	tensors = append(tensors, model.FloatTensor("empty", nothing(columns), columns))
	var folding bytes.Buffer
	if err := model.Write(&folding, config, tensors); err != nil {
		return err
	}
	return os.WriteFile(s.checkpoint, folding.Bytes(), 0o644)
}
