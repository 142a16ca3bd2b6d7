package server

import (
	"encoding/json"
	"strconv"
)

// openAI is the API of api.openai.com, as far as it is about embeddings. An item may also be an
// object of one member, {"text": …}, {"image": …}, {"audio": …} or {"video": …}, with files as data
// URLs or in base64, as other servers of this API have it.
var openAI = &api{failure: func(r *refusal) (int, any) {
	kind, code := "invalid_request_error", ""
	status := r.reason.status()
	switch r.reason {
	case unknownModel:
		code = "model_not_found"
	case unauthorized:
		code = "invalid_api_key"
	case overloaded:
		kind, code = "requests", "rate_limit_exceeded"
	case draining, internal, cancelled:
		kind = "server_error"
	case tooLarge:
		code = "request_too_large"
	case unsupported:
		code = "unsupported_modality"
	}
	type failure struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	body := failure{Message: r.message, Type: kind}
	if r.field != "" {
		body.Param = &r.field
	}
	if code != "" {
		body.Code = &code
	}
	return status, map[string]failure{"error": body}
}}

var openAIEmbeddings = &endpoint{
	api: openAI,
	read: func(body []byte) (*asking, *refusal) {
		var request struct {
			Model      *string         `json:"model"`
			Input      json.RawMessage `json:"input"`
			Format     string          `json:"encoding_format"`
			Dimensions *int            `json:"dimensions"`
		}
		if refused := fields(body, &request); refused != nil {
			return nil, refused
		}
		asked := new(asking)
		if request.Model == nil || *request.Model == "" {
			return nil, refuse(invalid, "model", "model is missing: name one of /v1/models")
		}
		asked.model = *request.Model
		switch request.Format {
		case "", "float":
		case "base64":
			asked.base64 = true
		default:
			return nil, refuse(invalid, "encoding_format", "encoding_format is %q: use float or base64", request.Format)
		}
		if refused := asked.setDimensions(request.Dimensions); refused != nil {
			return nil, refused
		}
		return asked, asked.setItems("input", request.Input, true)
	},
	write: func(out []byte, asked *asking, made *result) []byte {
		out = append(out, `{"object":"list","data":[`...)
		for i, vector := range made.vectors {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, `{"object":"embedding","index":`...)
			out = strconv.AppendInt(out, int64(i), 10)
			out = append(out, `,"embedding":`...)
			if asked.base64 {
				out = appendBase64(out, vector)
			} else {
				out = appendVector(out, vector)
			}
			out = append(out, '}')
		}
		out = append(out, `],"model":`...)
		out = append(out, asJSON(made.model)...)
		out = append(out, `,"usage":{"prompt_tokens":`...)
		out = strconv.AppendInt(out, int64(made.tokens), 10)
		out = append(out, `,"total_tokens":`...)
		out = strconv.AppendInt(out, int64(made.tokens), 10)
		return append(out, "}}\n"...)
	},
}

// setDimensions sets how many columns are asked for; nil is all.
func (a *asking) setDimensions(dimensions *int) *refusal {
	if dimensions == nil {
		return nil
	}
	if *dimensions < 1 {
		return refuse(invalid, "dimensions", "dimensions is %d: it is at least 1", *dimensions)
	}
	a.dimensions = *dimensions
	return nil
}

// openAIModel is a model in the list, with what a page needs to know beyond OpenAI's fields.
type openAIModel struct {
	ID         string   `json:"id"`
	Object     string   `json:"object"`
	Created    int64    `json:"created"`
	OwnedBy    string   `json:"owned_by"`
	Dimensions int      `json:"dimensions"`
	Context    int      `json:"context"`
	Modalities []string `json:"modalities"`
	Searched   bool     `json:"searched,omitempty"`
}

func (s *Server) openAIModel(model *served) openAIModel {
	m := openAIModel{
		ID: model.name, Object: "model", Created: s.started.Unix(), OwnedBy: "uform",
		Dimensions: model.description.EmbeddingColumns, Context: model.description.Context,
		Searched: s.options.Index != nil && model == s.models[0],
	}
	for _, modality := range model.description.Modalities {
		m.Modalities = append(m.Modalities, modality.String())
	}
	return m
}

func (s *Server) listOpenAI(*admission, []byte) ([]byte, *refusal) {
	list := struct {
		Object string        `json:"object"`
		Data   []openAIModel `json:"data"`
	}{Object: "list"}
	for _, model := range s.models {
		list.Data = append(list.Data, s.openAIModel(model))
	}
	return asJSON(list), nil
}

func (s *Server) showOpenAI(a *admission, _ []byte) ([]byte, *refusal) {
	name := a.request.PathValue("id")
	model, known := s.model(name)
	if !known {
		return nil, refuse(unknownModel, "model", "there is no model %q here", name)
	}
	return asJSON(s.openAIModel(model)), nil
}
