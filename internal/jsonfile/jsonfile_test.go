package jsonfile_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

func TestDecode(t *testing.T) {
	type file struct {
		Name   string            `json:"name"`
		Count  *uint32           `json:"count"`
		Score  float64           `json:"score"`
		Exact  json.Number       `json:"exact"`
		Inner  struct{ On bool } `json:"inner"`
		List   []string          `json:"list"`
		Values map[string]int    `json:"values"`
	}
	for text, says := range map[string]string{
		`{`:                      "the JSON ends before it is complete",
		``:                       "the JSON ends before it is complete",
		`{"name" "a"}`:           "not JSON at byte 9: invalid character '\"' after object key",
		`[]`:                     "a list where an object belongs",
		`{"name": 3}`:            "name: a number where a string belongs",
		`{"count": -1}`:          "count: -1 where an integer belongs",
		`{"count": true}`:        "count: true or false where an integer belongs",
		`{"score": {}}`:          "score: an object where a number belongs",
		`{"exact": []}`:          "exact: a list where a number belongs",
		`{"inner": {"On": "x"}}`: "inner.On: a string where true or false belongs",
		`{"list": "x"}`:          "list: a string where a list belongs",
		`{"list": [1]}`:          "list: a number where a string belongs",
		`{"values": []}`:         "values: a list where an object belongs",
		`{"count": 1` + strings.Repeat("0", 99) + `}`: "count: 1" + strings.Repeat("0", 39) + " where an integer belongs",
	} {
		require.EqualError(t, jsonfile.Decode([]byte(text), new(file)), says, text)
	}
	require.NoError(t, jsonfile.Decode([]byte(`{"name": "a", "count": null}`), new(file)))
}

func TestScalars(t *testing.T) {
	for text, want := range map[string]string{`"a"`: "a", `""`: "", `"\u00e9\n"`: "é\n", `"é"`: "é"} {
		got, err := jsonfile.String([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "3", "null", `"`, `"a`, "\"\n\"", `"a"b"`} {
		_, err := jsonfile.String([]byte(text))
		require.Error(t, err, text)
	}
	number, err := jsonfile.Number([]byte("-1.50e2"))
	require.NoError(t, err)
	require.Equal(t, "-1.50e2", number)
	for _, text := range []string{"", "null", `"1"`, "01", "1.", "-", "1a"} {
		_, err := jsonfile.Number([]byte(text))
		require.Error(t, err, text)
	}
	count, err := jsonfile.Unsigned([]byte("18446744073709551615"))
	require.NoError(t, err)
	require.Equal(t, uint64(1<<64-1), count)
	for _, text := range []string{"", "-1", "+1", "01", "1.0", "1e2", "0x1", "1_0", "18446744073709551616"} {
		_, err := jsonfile.Unsigned([]byte(text))
		require.Error(t, err, text)
	}
}

func TestWalksEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	err := jsonfile.EachElement(ctx, []byte("["+strings.Repeat("1,", 1<<16)+"1]"), func([]byte) error {
		if seen++; seen == 5000 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, seen, 5000+1024)
	require.ErrorIs(t, jsonfile.EachMember(ctx, []byte("{}"), nil), context.Canceled)
}

// walk reads a document as far as its lists and objects go, and checks the rest.
func walk(data []byte) (any, error) {
	ctx := context.Background()
	switch strings.TrimLeft(string(data), " \t\r\n")[:1] {
	case "{":
		members := map[string]any{}
		return members, jsonfile.EachMember(ctx, data, func(name string, value []byte) (err error) {
			members[name], err = walk(value)
			return err
		})
	case "[":
		list := []any{}
		return list, jsonfile.EachElement(ctx, data, func(value []byte) error {
			inner, err := walk(value)
			list = append(list, inner)
			return err
		})
	}
	var value any
	err := jsonfile.Decode(data, &value)
	return value, err
}

// A walk finds what [json.Unmarshal] does, and refuses what that refuses.
func FuzzWalk(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, ` { "a" : [ 1 , "b\"]" , { } ] , "c\u0064" : null } `, `{"a":1,"a":2}`, `[1,]`, `{"a"}`, `{"a":}`, `[1 2]`, `[1}`,
		`{]`, `["a`, `["a\`, "[\x00]", `[tru]`, `[1]x`, `[,]`, `{,}`, `[[[]]`, `["\x"]`, "[\"\n\"]", `[-]`, `[""a]`, `[1"a"]`, `{1:2}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return
		}
		if trimmed := strings.TrimLeft(string(data), " \t\r\n"); trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
			return
		}
		if strings.Count(string(data), "[")+strings.Count(string(data), "{") > 1000 {
			return // json.Unmarshal has a limit
		}
		var want any
		failure := json.Unmarshal(data, &want)
		got, err := walk(data)
		require.Equal(t, failure == nil, err == nil, "%q: %v, %v", data, failure, err)
		if err == nil {
			wantText, _ := json.Marshal(want)
			gotText, _ := json.Marshal(got)
			require.Equal(t, string(wantText), string(gotText))
		}
	})
}
