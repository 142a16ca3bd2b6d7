package words_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// The shortest way from texts to vectors: no library, model or executor to make.
func ExampleEmbed() {
	vectors, err := words.Embed(context.Background(), []string{"a cat on a mat", "a dog in the fog"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(vectors), "vectors of", len(vectors[0]))
	// Output: 2 vectors of 384
}

// A call whose context has ended fails alone, and many that come at once share one model.
func TestEmbed(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := words.Embed(ended, []string{"too late"})
	require.ErrorIs(t, err, uform.ErrCancelled)

	texts := []string{"one", "", "three"}
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	model, err := words.Load(t.Context(), library, nil)
	require.NoError(t, err)
	defer model.Close()
	want, err := model.Embed(t.Context(), texts)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, err := words.Embed(t.Context(), texts)
			if err != nil || !equal(got, want) {
				t.Errorf("got other vectors, or %v", err)
			}
		})
	}
	group.Wait()

	_, err = words.Embed(t.Context(), []string{"fine", "\xff"})
	require.ErrorIs(t, err, uform.ErrMalformed)
}

func equal(a, b [][]float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		for k := range a[i] {
			if a[i][k] != b[i][k] {
				return false
			}
		}
	}
	return true
}
