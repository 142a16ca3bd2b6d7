package server

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/unum-cloud/uform-go/uform"
)

// endpoint is a route that returns vectors.
type endpoint struct {
	*api
	read  func(body []byte) (*asking, *refusal)
	write func(out []byte, asked *asking, made *result) []byte
}

// result is what came of an asking.
type result struct {
	model   string
	vectors [][]float32
	// tokens is how many tokens the texts have.
	tokens int
	took   time.Duration
}

// embed answers a request for vectors.
func (s *Server) embed(a *admission, e *endpoint, body []byte) ([]byte, *refusal) {
	asked, refused := e.read(body)
	if refused != nil {
		return nil, refused
	}
	began := time.Now()
	made, refused := s.vectors(a, asked)
	if refused != nil {
		return nil, refused
	}
	made.took = time.Since(began)
	return e.write(newAnswer(), asked, made), nil
}

// answers are buffers of answers that were written.
var answers sync.Pool

func newAnswer() []byte {
	if buffer, ok := answers.Get().(*[]byte); ok {
		return (*buffer)[:0]
	}
	return nil
}

// reuse keeps the buffer of an answer that was written, unless it is a large one.
func reuse(answer []byte) {
	if cap(answer) > 0 && cap(answer) <= 1<<20 {
		answers.Put(&answer)
	}
}

// answerSize is about how many bytes the answer has.
func answerSize(asked *asking, columns int) int {
	perScalar := 13 // "-0.012345678,"
	if asked.base64 {
		perScalar = 6
	}
	return 256 + len(asked.items)*(64+perScalar*columns)
}

// vectors encodes the items of an asking.
func (s *Server) vectors(a *admission, asked *asking) (*result, *refusal) {
	model, known := s.models[0], true
	if asked.model != "" {
		model, known = s.model(asked.model)
	}
	if !known {
		return nil, refuse(unknownModel, "model", "there is no model %q here", asked.model)
	}
	made := &result{model: model.name}
	if refused := s.check(model, asked); refused != nil {
		return nil, refused
	}
	if len(asked.items) == 0 {
		return made, nil
	}
	columns := model.description.EmbeddingColumns
	if !a.reserve(int64(answerSize(asked, columns) + len(asked.items)*columns*4)) {
		return nil, errMemory
	}
	var err error
	made.vectors, err = model.queue.encode(a.request.Context(), asked.items, asked.how)
	switch {
	case errors.Is(err, errFull):
		return nil, refuse(overloaded, "", "too many items wait for the model %q: try again later", model.name)
	case a.request.Context().Err() != nil:
		return nil, errGone
	case err != nil:
		return nil, ofModel(err, asked.field)
	}
	if made.tokens, err = model.tokens(asked); err != nil {
		return nil, ofModel(err, asked.field)
	}
	for i, vector := range made.vectors {
		if !finite(vector) {
			return nil, refuseItem(internal, asked.field, i, "the model %q gives a vector that is no vector of numbers", model.name)
		}
		if asked.dimensions != 0 {
			made.vectors[i] = shorten(vector, asked.dimensions)
		}
	}
	return made, nil
}

// tokens is how many tokens the texts have with their prompt.
func (m *served) tokens(asked *asking) (total int, err error) {
	options := &uform.TextOptions{Prompt: asked.how.prompt}
	for i, one := range asked.items {
		if one.modality != uform.Text {
			continue
		}
		count, err := m.model.Tokens(one.text, options)
		if err != nil {
			return 0, ofItem(err, i)
		}
		total += count
	}
	return total, nil
}

// check refuses what the model, or the server, does not take.
func (s *Server) check(model *served, asked *asking) *refusal {
	if most := min(s.options.Limits.Items, s.options.Limits.Queue); len(asked.items) > most {
		return refuse(tooLarge, asked.field, "%s has %d items, and at most %d are taken: send less at once", asked.field, len(asked.items), most)
	}
	if columns := model.description.EmbeddingColumns; asked.dimensions < 0 || asked.dimensions > columns {
		return refuse(invalid, "dimensions", "dimensions is %d, and the vectors of the model %q have %d", asked.dimensions, model.name, columns)
	}
	if prompt := asked.how.prompt; prompt != "" && !slices.Contains(model.description.Prompts, prompt) {
		return refuse(unsupported, "prompt_name", "the model %q has no prompt %q", model.name, prompt)
	}
	for i, one := range asked.items {
		if !slices.Contains(model.description.Modalities, one.modality) {
			return refuseItem(unsupported, asked.field, i, "the model %q takes no %s", model.name, plural[one.modality])
		}
	}
	return nil
}

// finite reports whether all scalars are numbers that JSON can have.
func finite(vector []float32) bool {
	sum := float32(0)
	for _, x := range vector {
		sum += x - x // 0, or NaN for an infinity and for NaN
	}
	return sum == 0
}

var plural = map[uform.Modality]string{uform.Text: "texts", uform.Image: "images", uform.Video: "videos", uform.Audio: "recordings"}

// shorten is the head of a vector, at the length that the vector had.
func shorten(vector []float32, columns int) []float32 {
	length := func(vector []float32) (squares float64) {
		for _, x := range vector {
			squares += float64(x) * float64(x)
		}
		return math.Sqrt(squares)
	}
	before := length(vector)
	vector = vector[:columns]
	if after := length(vector); after > 0 {
		for i, x := range vector {
			vector[i] = float32(float64(x) / after * before)
		}
	}
	return vector
}

// appendVector appends a vector as an array of numbers, each the shortest that reads back as the
// same float.
func appendVector(out []byte, vector []float32) []byte {
	out = append(out, '[')
	for i, x := range vector {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendFloat(out, float64(x), 'g', -1, 32)
	}
	return append(out, ']')
}

// appendVectors appends an array of vectors.
func appendVectors(out []byte, vectors [][]float32) []byte {
	out = append(out, '[')
	for i, vector := range vectors {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendVector(out, vector)
	}
	return append(out, ']')
}

// appendBase64 appends a vector as a string: its floats of 32 bits, the lowest byte first.
func appendBase64(out []byte, vector []float32) []byte {
	var bytes [192]byte // a multiple of three, so that only the last part has padding
	out = append(out, '"')
	for len(vector) > 0 {
		part := vector[:min(len(vector), len(bytes)/4)]
		for i, x := range part {
			binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(x))
		}
		out = base64.StdEncoding.AppendEncode(out, bytes[:4*len(part)])
		vector = vector[len(part):]
	}
	return append(out, '"')
}
