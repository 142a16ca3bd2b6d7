package server_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
)

// FuzzPlainTexts compares the short way through an array of strings with the decoder.
func FuzzPlainTexts(f *testing.F) {
	for _, array := range []string{`[]`, `["a"]`, ` [ "a" , "" ] `, `["a","b\n"]`, `["a",null]`, `["a",["b"]]`, `["a",{"text":"b"}]`, `["é � ]",1]`, `["a","]"]`} {
		f.Add(array)
	}
	f.Fuzz(func(t *testing.T, array string) {
		var raw json.RawMessage
		if !utf8.ValidString(array) || json.Unmarshal([]byte(array), &raw) != nil || raw[0] != '[' {
			return // such a body is refused before
		}
		texts, plain := server.PlainTexts(raw)
		if !plain {
			return
		}
		var want []string
		require.NoError(t, json.Unmarshal(raw, &want))
		require.Len(t, texts, len(want))
		for i, text := range want {
			require.Equal(t, text, texts[i])
		}
	})
}
