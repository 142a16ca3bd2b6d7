package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
	"github.com/unum-cloud/uform-go/uform"
)

// asking is a request for embeddings, whatever API it came by.
type asking struct {
	model string
	// field is the name that the API has for the items, for messages.
	field string
	items []item
	// single says that the client sent one item, and no array.
	single bool
	// dimensions is how many columns are kept, 0 for all.
	dimensions int
	// base64 asks for vectors as bytes rather than numbers.
	base64 bool
	// how is how the texts are embedded.
	how embedding
}

// embedding is how texts are embedded. Texts of equal ones share calls.
type embedding struct {
	// whole refuses a text that is longer than the model's context.
	whole bool
	// prompt names the model's prompt that stands before each text, empty for its default.
	prompt string
}

// item is a text, or a file of another modality.
type item struct {
	modality uform.Modality
	text     string
	file     []byte
}

func (i item) size() int { return len(i.text) + len(i.file) }

// fields decodes a body into a struct of fields.
func fields(body []byte, into any) *refusal {
	if !utf8.Valid(body) {
		return refuse(invalid, "", "the body is not UTF-8")
	}
	err := json.Unmarshal(body, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case len(bytes.TrimSpace(body)) == 0:
		return refuse(invalid, "", "the body is empty: send JSON")
	case errors.As(err, &syntax):
		return refuse(invalid, "", "the body is not JSON: %v, at byte %d", err, syntax.Offset)
	case errors.As(err, &kind) && kind.Field != "":
		return refuse(invalid, kind.Field, "%s: it is a JSON %s, which is not what belongs there", kind.Field, kind.Value)
	}
	return refuse(invalid, "", "the body is not a JSON object of the request's fields: %v", err)
}

// setItems sets the items from a string or an array of strings. files says that an API has items
// that are objects, such as pictures.
func (a *asking) setItems(field string, value json.RawMessage, files bool) *refusal {
	a.field = field
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0, string(value) == "null":
		return refuse(empty, field, "%s is missing: send a string, or an array of strings", field)
	case value[0] != '[':
		one, refused := readItem(field, noItem, value, files)
		a.items, a.single = []item{one}, true
		return refused
	}
	err := jsonfile.EachElement(context.Background(), value, func(value []byte) error {
		one, refused := readItem(field, len(a.items), value, files)
		if refused != nil {
			return refused
		}
		a.items = append(a.items, one)
		return nil
	})
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return refused
	case err != nil:
		return refuse(invalid, field, "%s: %v", field, err)
	}
	if len(a.items) == 0 {
		return refuse(empty, field, "%s is an empty array: send at least one item", field)
	}
	return nil
}

// readItem reads one item: a string, or an object of one member such as {"image": …}. index is
// noItem where the item is the whole field.
func readItem(field string, index int, value json.RawMessage, files bool) (item, *refusal) {
	wrong := func(why reason, format string, values ...any) (item, *refusal) {
		if index == noItem {
			return item{}, refuse(why, field, field+": "+format, values...)
		}
		return item{}, refuseItem(why, field, index, format, values...)
	}
	switch value[0] {
	case '"':
		text, err := jsonfile.String(value)
		if err != nil {
			return wrong(invalid, "%v", err)
		}
		// The decoder puts U+FFFD in place of half a surrogate pair.
		if bytes.IndexByte(value, '\\') >= 0 && strings.Count(text, "\ufffd") != strings.Count(string(value), "\ufffd")+strings.Count(strings.ToLower(string(value)), `\ufffd`) {
			return wrong(malformed, "the text has half a surrogate pair, which is no character")
		}
		return item{modality: uform.Text, text: text}, nil
	case '[', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return wrong(invalid, "tokens are not taken, as each model has its own: send the text")
	case '{':
		if files {
			break
		}
		fallthrough
	default:
		return wrong(invalid, "it is no string")
	}
	var members map[string]string
	if err := json.Unmarshal(value, &members); err != nil || len(members) != 1 {
		return wrong(invalid, `an object has one member, a string: {"text": …}, {"image": …}, {"audio": …} or {"video": …}`)
	}
	for name, content := range members {
		modality, known := modalities[name]
		switch {
		case !known:
			return wrong(invalid, `%q is not known: use "text", "image", "audio" or "video"`, name)
		case modality == uform.Text:
			return item{modality: modality, text: content}, nil
		}
		file, problem := fileOf(content)
		if problem != "" {
			return wrong(malformed, "%s: %s", name, problem)
		}
		return item{modality: modality, file: file}, nil
	}
	panic("unreachable: the map has one member")
}

var modalities = map[string]uform.Modality{"text": uform.Text, "image": uform.Image, "audio": uform.Audio, "video": uform.Video}

// fileOf decodes a file in a data URL, or in base64 alone. problem is empty where it could.
func fileOf(content string) (file []byte, problem string) {
	if header, data, isURL := strings.Cut(content, ","); isURL {
		if !strings.HasPrefix(header, "data:") || !strings.HasSuffix(header, ";base64") {
			return nil, "it is no data URL in base64"
		}
		content = data
	} else if strings.Contains(content, "://") {
		return nil, "addresses are not fetched: send the file as a data URL, or in base64"
	}
	file, err := base64.StdEncoding.DecodeString(content)
	switch {
	case err != nil:
		return nil, "it is not base64: " + err.Error()
	case len(file) == 0:
		return nil, "the file is empty"
	}
	return file, ""
}
