package server

import (
	"encoding/json"
	"net/http"
)

// inference is the API of text-embeddings-inference, which serves one model: the first. It has no
// pictures. Texts are embedded whole, by windows where they are longer than the model's context;
// "truncate": false refuses those.
var inference = &api{failure: func(r *refusal) (int, any) {
	status, kind := r.reason.status(), "Validation"
	switch r.reason {
	case empty:
		kind = "Empty"
	case malformed:
		status, kind = http.StatusUnprocessableEntity, "Tokenizer"
	case invalid, unsupported, tooLarge:
		status = http.StatusRequestEntityTooLarge // its status of every error of validation
	case overloaded:
		kind = "Overloaded"
	case draining:
		kind = "Unhealthy"
	case internal:
		status, kind = http.StatusFailedDependency, "Backend"
	}
	return status, map[string]string{"error": r.message, "error_type": kind}
}}

var inferenceEmbed = &endpoint{
	api: inference,
	read: func(body []byte) (*asking, *refusal) {
		var request struct {
			Inputs     json.RawMessage `json:"inputs"`
			Truncate   *bool           `json:"truncate"`
			Prompt     string          `json:"prompt_name"`
			Dimensions *int            `json:"dimensions"`
		}
		if refused := fields(body, &request); refused != nil {
			return nil, refused
		}
		asked := &asking{how: embedding{whole: request.Truncate != nil && !*request.Truncate, prompt: request.Prompt}}
		if refused := asked.setDimensions(request.Dimensions); refused != nil {
			return nil, refused
		}
		return asked, asked.setItems("inputs", request.Inputs, false)
	},
	write: func(out []byte, _ *asking, made *result) []byte {
		return append(appendVectors(out, made.vectors), '\n')
	},
}

func (s *Server) infoInference(*admission, []byte) ([]byte, *refusal) {
	model, limits := s.models[0], s.options.Limits
	return asJSON(map[string]any{
		"model_id":                model.name,
		"model_sha":               nil,
		"model_dtype":             model.description.Scalar.String(),
		"model_type":              map[string]any{"embedding": map[string]string{"pooling": "mean"}},
		"max_concurrent_requests": limits.Requests,
		"max_input_length":        model.description.Context,
		"max_batch_tokens":        batchBytes,
		"max_batch_requests":      limits.Batch,
		"max_client_batch_size":   min(limits.Items, limits.Queue),
		"auto_truncate":           false,
		"tokenization_workers":    s.options.Workers,
		"version":                 s.options.Version,
		"sha":                     nil,
		"docker_label":            nil,
	}), nil
}
