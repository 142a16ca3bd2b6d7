package server

import (
	"encoding/json"
	"strconv"
	"time"
)

// ollama is the API of Ollama, as far as it is about embeddings. It has no pictures there. Texts
// are embedded whole, by windows where they are longer than the model's context, and never
// truncated; "truncate": false refuses those.
var ollama = &api{failure: func(r *refusal) (int, any) {
	return r.reason.status(), map[string]string{"error": r.message}
}}

var ollamaEmbed = &endpoint{
	api: ollama,
	read: func(body []byte) (*asking, *refusal) {
		var request struct {
			Model      string          `json:"model"`
			Input      json.RawMessage `json:"input"`
			Truncate   *bool           `json:"truncate"`
			Dimensions *int            `json:"dimensions"`
		}
		if refused := fields(body, &request); refused != nil {
			return nil, refused
		}
		asked := &asking{model: request.Model, field: "input", how: embedding{whole: request.Truncate != nil && !*request.Truncate}}
		if request.Model == "" {
			return nil, refuse(invalid, "model", "model is missing: name one of /api/tags")
		}
		// Ollama takes 0 for all.
		if request.Dimensions != nil && *request.Dimensions != 0 {
			if refused := asked.setDimensions(request.Dimensions); refused != nil {
				return nil, refused
			}
		}
		if noItems(request.Input) {
			return asked, nil
		}
		return asked, asked.setItems("input", request.Input, false)
	},
	write: func(out []byte, asked *asking, made *result) []byte {
		out = append(out, `{"model":`...)
		out = append(out, asJSON(asked.model)...)
		out = append(out, `,"embeddings":`...)
		out = appendVectors(out, made.vectors)
		out = append(out, `,"total_duration":`...)
		out = strconv.AppendInt(out, made.took.Nanoseconds(), 10)
		out = append(out, `,"load_duration":0,"prompt_eval_count":`...)
		out = strconv.AppendInt(out, int64(made.tokens), 10)
		return append(out, "}\n"...)
	},
}

// noItems reports whether a request only asks to load the model, which Ollama answers without
// vectors.
func noItems(value json.RawMessage) bool {
	switch string(value) {
	case "", "null", "[]", `""`:
		return true
	}
	return false
}

var ollamaEmbeddings = &endpoint{
	api: ollama,
	read: func(body []byte) (*asking, *refusal) {
		var request struct {
			Model  string          `json:"model"`
			Prompt json.RawMessage `json:"prompt"`
		}
		if refused := fields(body, &request); refused != nil {
			return nil, refused
		}
		asked := &asking{model: request.Model, field: "prompt"}
		switch {
		case request.Model == "":
			return nil, refuse(invalid, "model", "model is missing: name one of /api/tags")
		case noItems(request.Prompt):
			return asked, nil
		case request.Prompt[0] != '"':
			return nil, refuse(invalid, "prompt", "prompt: it is no string")
		}
		return asked, asked.setItems("prompt", request.Prompt, false)
	},
	write: func(out []byte, _ *asking, made *result) []byte {
		out = append(out, `{"embedding":`...)
		if len(made.vectors) == 0 {
			out = append(out, "[]"...)
		} else {
			out = appendVector(out, made.vectors[0])
		}
		return append(out, "}\n"...)
	},
}

func (s *Server) listOllama(*admission, []byte) ([]byte, *refusal) {
	type details struct {
		Format            string   `json:"format"`
		Family            string   `json:"family"`
		Families          []string `json:"families"`
		ParameterSize     string   `json:"parameter_size"`
		QuantizationLevel string   `json:"quantization_level"`
	}
	type listed struct {
		Name       string    `json:"name"`
		Model      string    `json:"model"`
		ModifiedAt time.Time `json:"modified_at"`
		Size       uint64    `json:"size"`
		Digest     string    `json:"digest"`
		Details    details   `json:"details"`
	}
	list := make([]listed, 0, len(s.models))
	for _, model := range s.models {
		d := model.description
		list = append(list, listed{
			Name: model.name, Model: model.name, ModifiedAt: s.started, Size: d.WeightsBytes,
			Details: details{
				Format: "safetensors", Family: "uform", Families: []string{"uform"},
				ParameterSize: strconv.FormatFloat(float64(d.Parameters)/1e6, 'f', 1, 64) + "M", QuantizationLevel: d.Scalar.String(),
			},
		})
	}
	return asJSON(map[string]any{"models": list}), nil
}

func (s *Server) versionOllama(*admission, []byte) ([]byte, *refusal) {
	return asJSON(map[string]string{"version": s.options.Version}), nil
}
