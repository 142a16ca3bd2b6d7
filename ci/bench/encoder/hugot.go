package main

import (
	"os"
	"path/filepath"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/pipelines"
)

// hugotPipeline is hugot with its backend in pure Go, which is GoMLX.
type hugotPipeline struct {
	pipeline *pipelines.FeatureExtractionPipeline
}

// newHugot prepares a model from its folder and a file of ONNX, which hugot wants in one folder.
func newHugot(path, file string) (*hugotPipeline, error) {
	both, err := os.MkdirTemp("", "uform-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(both)
	for name, target := range map[string]string{
		"model.onnx": file, "config.json": filepath.Join(path, "config.json"), "tokenizer.json": filepath.Join(path, "tokenizer.json"),
		"tokenizer_config.json": filepath.Join(path, "tokenizer_config.json"), "special_tokens_map.json": filepath.Join(path, "special_tokens_map.json"),
	} {
		if _, err := os.Stat(target); err != nil {
			continue // hugot says what it needs
		}
		if err := os.Symlink(target, filepath.Join(both, name)); err != nil {
			return nil, err
		}
	}
	session, err := hugot.NewGoSession()
	if err != nil {
		return nil, err
	}
	pipeline, err := hugot.NewPipeline(session, hugot.FeatureExtractionConfig{
		ModelPath: both, Name: minilm, OnnxFilename: "model.onnx",
		Options: []hugot.FeatureExtractionOption{pipelines.WithNormalization()},
	})
	return &hugotPipeline{pipeline}, err
}

func (h *hugotPipeline) encode(texts []string) ([][]float32, error) {
	out, err := h.pipeline.RunPipeline(texts)
	if err != nil {
		return nil, err
	}
	return out.Embeddings, nil
}
