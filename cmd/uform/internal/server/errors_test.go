package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
)

// Bad input is an error in the shape of the client's API, which names the field or the item.
func TestBadInput(t *testing.T) {
	s := serve(t, &server.Options{Limits: server.Limits{Items: 3, Body: 4096}})
	for _, row := range []struct {
		path, body string
		status     int
		want       string // the body
	}{
		{"/v1/embeddings", ``, 400, `{"error":{"message":"the body is empty: send JSON","type":"invalid_request_error","param":null,"code":null}}`},
		{"/v1/embeddings", `{"model":`, 400, `{"error":{"message":"the body is not JSON: unexpected end of JSON input, at byte 9","type":"invalid_request_error","param":null,"code":null}}`},
		{"/v1/embeddings", `[]`, 400, `{"error":{"message":"the body is not a JSON object of the request's fields: json: cannot unmarshal array into Go value of type struct`},
		{"/v1/embeddings", `{"model":"words","input":"` + "\xff" + `"}`, 400, `{"error":{"message":"the body is not UTF-8","type":"invalid_request_error","param":null,"code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":["a","\ud800"]}`, 400, `{"error":{"message":"input[1]: the text has half a surrogate pair, which is no character","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"input":"a"}`, 400, `{"error":{"message":"model is missing: name one of /v1/models","type":"invalid_request_error","param":"model","code":null}}`},
		{"/v1/embeddings", `{"model":3,"input":"a"}`, 400, `{"error":{"message":"model: it is a JSON number, which is not what belongs there","type":"invalid_request_error","param":"model","code":null}}`},
		{"/v1/embeddings", `{"model":"gpt","input":"a"}`, 404, `{"error":{"message":"there is no model \"gpt\" here","type":"invalid_request_error","param":"model","code":"model_not_found"}}`},
		{"/v1/embeddings", `{"model":"words"}`, 400, `{"error":{"message":"input is missing: send a string, or an array of strings","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":[]}`, 400, `{"error":{"message":"input is an empty array: send at least one item","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":[1,2]}`, 400, `{"error":{"message":"input[0]: tokens are not taken, as each model has its own: send the text","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":[[1],[2]]}`, 400, `{"error":{"message":"input[0]: tokens are not taken, as each model has its own: send the text","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":7}`, 400, `{"error":{"message":"input: tokens are not taken, as each model has its own: send the text","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":["a",null]}`, 400, `{"error":{"message":"input[1]: it is no string","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":["a",true]}`, 400, `{"error":{"message":"input[1]: it is no string","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":["a","b","c","d"]}`, 413, `{"error":{"message":"input has 4 items, and at most 3 are taken: send less at once","type":"invalid_request_error","param":"input","code":"request_too_large"}}`},
		{"/v1/embeddings", `{"model":"words","input":"` + strings.Repeat("a", 4096) + `"}`, 413, `{"error":{"message":"the body has more than 4096 bytes: send less at once","type":"invalid_request_error","param":null,"code":"request_too_large"}}`},
		{"/v1/embeddings", `{"model":"words","input":"a","dimensions":0}`, 400, `{"error":{"message":"dimensions is 0: it is at least 1","type":"invalid_request_error","param":"dimensions","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":"a","dimensions":385}`, 400, `{"error":{"message":"dimensions is 385, and the vectors of the model \"words\" have 384","type":"invalid_request_error","param":"dimensions","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":"a","encoding_format":"int8"}`, 400, `{"error":{"message":"encoding_format is \"int8\": use float or base64","type":"invalid_request_error","param":"encoding_format","code":null}}`},
		{"/v1/embeddings", `{"model":"words","input":[{"image":"aGFsbG8="}]}`, 400, `{"error":{"message":"input[0]: the model \"words\" takes no images","type":"invalid_request_error","param":"input","code":"unsupported_modality"}}`},
		{"/v1/embeddings", `{"model":"senses","input":["a",{"image":"aGFsbG8="}]}`, 400, `{"error":{"message":"input[1]: not an image file: its first bytes are not those of JPEG, PNG or WebP","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"senses","input":[{"image":"https://example.org/a.png"}]}`, 400, `{"error":{"message":"input[0]: image: addresses are not fetched: send the file as a data URL, or in base64","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"senses","input":[{"image":"data:image/png,x"}]}`, 400, `{"error":{"message":"input[0]: image: it is no data URL in base64","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"senses","input":[{"image":"data:image/png;base64,"}]}`, 400, `{"error":{"message":"input[0]: image: the file is empty","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"senses","input":[{"smell":"x"}]}`, 400, `{"error":{"message":"input[0]: \"smell\" is not known: use \"text\", \"image\", \"audio\" or \"video\"","type":"invalid_request_error","param":"input","code":null}}`},
		{"/v1/embeddings", `{"model":"senses","input":[{"text":"x","image":"y"}]}`, 400, `{"error":{"message":"input[0]: an object has one member, a string: {\"text\": …}, {\"image\": …}, {\"audio\": …} or {\"video\": …}","type":"invalid_request_error","param":"input","code":null}}`},

		{"/api/embed", `{"model":"gpt","input":"a"}`, 404, `{"error":"there is no model \"gpt\" here"}`},
		{"/api/embed", `{"input":"a"}`, 400, `{"error":"model is missing: name one of /api/tags"}`},
		{"/api/embed", `{"model":"words","input":["a",{"text":"b"}]}`, 400, `{"error":"input[1]: it is no string"}`},
		{"/api/embed", `{"model":"words","input":["a",[1]]}`, 400, `{"error":"input[1]: tokens are not taken, as each model has its own: send the text"}`},
		{"/api/embed", `{"model":"words","input":"a","dimensions":-1}`, 400, `{"error":"dimensions is -1: it is at least 1"}`},
		{"/api/embeddings", `{"model":"words","prompt":["a"]}`, 400, `{"error":"prompt: it is no string"}`},
		{"/api/embeddings", `{"prompt":"a"}`, 400, `{"error":"model is missing: name one of /api/tags"}`},
		{"/api/embeddings", `}`, 400, `{"error":"the body is not JSON: invalid character '}' looking for beginning of value, at byte 1"}`},

		{"/embed", `{}`, 400, `{"error":"inputs is missing: send a string, or an array of strings","error_type":"Empty"}`},
		{"/embed", `{"inputs":[]}`, 400, `{"error":"inputs is an empty array: send at least one item","error_type":"Empty"}`},
		{"/embed", `{"inputs":["a",[1,2]]}`, 413, `{"error":"inputs[1]: tokens are not taken, as each model has its own: send the text","error_type":"Validation"}`},
		{"/embed", `{"inputs":["a","\ud83e"]}`, 422, `{"error":"inputs[1]: the text has half a surrogate pair, which is no character","error_type":"Tokenizer"}`},
		{"/embed", `{"inputs":"a","prompt_name":"query"}`, 413, `{"error":"the model \"words\" has no prompt \"query\"","error_type":"Validation"}`},
		{"/embed", `{"inputs":["a","b","c","d"]}`, 413, `{"error":"inputs has 4 items, and at most 3 are taken: send less at once","error_type":"Validation"}`},

		{"/v1/nothing", `{}`, 404, `{"error":{"message":"there is no /v1/nothing here","type":"invalid_request_error","param":null,"code":null}}`},
		{"/api/generate", `{}`, 404, `{"error":"there is no /api/generate here"}`},
		{"/info", `{}`, 405, `{"error":"/info takes GET, not POST","error_type":"Validation"}`},
	} {
		got := s.post(t, row.path, row.body)
		require.Equal(t, row.status, got.status, "%s %s: %s", row.path, row.body, got.body)
		require.True(t, strings.HasPrefix(got.body, row.want), "%s %.200s:\n%s", row.path, row.body, got.body)
		require.True(t, json.Valid([]byte(got.body)), got.body)
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
	}
	got := s.get(t, "/api/embed")
	require.Equal(t, 405, got.status)
	require.Equal(t, "POST", got.header.Get("Allow"))
	got = s.post(t, "/v1/embeddings", `{}`, "Content-Encoding: gzip")
	require.Equal(t, 400, got.status)
	// The server is up, and the bodies' memory is free again.
	require.Equal(t, 200, s.post(t, "/embed", `{"inputs":"a"}`).status)
	require.Zero(t, s.metric(t, "uform_memory_bytes"))
	require.Equal(t, 2.0, s.metric(t, `uform_requests_total{code="404",route="other"}`))
	require.Equal(t, 2.0, s.metric(t, `uform_requests_total{code="405",route="other"}`))
}

// A key is asked for where there are some, in the shape of the API.
func TestKeys(t *testing.T) {
	s := serve(t, &server.Options{Keys: []string{"first", "second"}})
	for _, path := range []string{"/v1/embeddings", "/api/embed", "/api/embeddings", "/embed", "/search"} {
		for _, headers := range [][]string{nil, {"Authorization: Bearer "}, {"Authorization: Bearer third"}, {"Authorization: Basic first"}, {"Authorization: first"}} {
			got := s.post(t, path, `{"model":"words","input":"a","prompt":"a","inputs":"a"}`, headers...)
			require.Equal(t, 401, got.status, path)
			require.Equal(t, "Bearer", got.header.Get("WWW-Authenticate"))
			require.Contains(t, got.body, "key", path)
		}
	}
	for _, path := range []string{"/v1/models", "/api/tags", "/info", "/metrics"} {
		require.Equal(t, 401, s.get(t, path).status, path)
		require.Equal(t, 200, s.get(t, path, "Authorization: Bearer second").status, path)
	}
	require.Equal(t, 200, s.post(t, "/embed", `{"inputs":"a"}`, "Authorization: Bearer first").status)
	require.Equal(t, 200, s.post(t, "/embed", `{"inputs":"a"}`, "Authorization: bearer second").status)
	require.Equal(t, 200, s.get(t, "/healthz").status)
	require.Equal(t, 200, s.get(t, "/").status)
	require.Contains(t, s.post(t, "/v1/embeddings", `{}`).body, `"code":"invalid_api_key"`)
}

// Pages of other sites get nothing.
func TestOtherSites(t *testing.T) {
	s := serve(t, &server.Options{LocalHost: true})
	for status, headers := range map[int][]string{
		200: {"Sec-Fetch-Site: same-origin"},
		403: {"Sec-Fetch-Site: cross-site"},
	} {
		require.Equal(t, status, s.post(t, "/embed", `{"inputs":"a"}`, headers...).status, headers)
	}
	require.Equal(t, 403, s.post(t, "/embed", `{"inputs":"a"}`, "Origin: https://example.org").status)
	require.Equal(t, 403, s.get(t, "/v1/models", "Host: example.org").status)
	require.Equal(t, 403, s.get(t, "/v1/models", "Host: example.org:80").status)
	for _, host := range []string{"localhost", "LOCALHOST:8600", "127.0.0.1:8600", "[::1]:8600", "[::1]"} {
		require.Equal(t, 200, s.get(t, "/v1/models", "Host: "+host).status, host)
	}
	require.Equal(t, 200, serve(t, nil).get(t, "/v1/models", "Host: example.org").status)
}

// Whatever a client sends, the answer is JSON in the API's shape, and never a fault of the server.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		`{"model":"words","input":"a"}`, `{"model":"senses","input":[{"image":"aGFsbG8="},"b"],"dimensions":3,"encoding_format":"base64"}`,
		`{"model":"words","input":["\ud800",[1],null,{}]}`, `{"inputs":["a"],"truncate":false}`, `{"model":"words","prompt":"x"}`, `{"query":"a","k":3}`, `[[`, "\xff",
	} {
		f.Add(body)
	}
	s := serve(f, nil)
	paths := []string{"/v1/embeddings", "/api/embed", "/api/embeddings", "/embed", "/search"}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range paths {
			got := s.post(t, path, body)
			require.Less(t, got.status, 500, got.body)
			require.True(t, json.Valid([]byte(got.body)), got.body)
		}
	})
}
