package server_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
)

// BenchmarkEmbeddings is a request of 32 texts, beside the same by the model alone.
func BenchmarkEmbeddings(b *testing.B) {
	content, err := os.ReadFile("../../../../examples/search/corpus.txt")
	require.NoError(b, err)
	texts := strings.Split(string(content), "\n")[:32]
	b.Run("model", func(b *testing.B) {
		for b.Loop() {
			_, err := model(b, "words").Embed(b.Context(), texts)
			require.NoError(b, err)
		}
	})
	all, err := models()
	require.NoError(b, err)
	s, err := server.New(all, &server.Options{Workers: 1})
	require.NoError(b, err)
	defer s.Close()
	for _, format := range []string{"base64", "float"} {
		body := fmt.Sprintf(`{"model":"words","encoding_format":%q,"input":%s}`, format, quoted(texts))
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				w.Body = nil
				s.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), "POST", "/v1/embeddings", io.NopCloser(strings.NewReader(body))))
				require.Equal(b, 200, w.Code)
			}
		})
	}
}
