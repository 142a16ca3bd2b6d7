package senses_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/senses"
)

// vectors returns copies of embeddings, and the error if there are none.
func vectors(encoded uform.Encoded, err error) ([][]float32, error) {
	if err != nil {
		return nil, err
	}
	return encoded.Embeddings.Copy()
}

// match returns, for each picture, the nearest of the names.
func match(ctx context.Context, names []string, files [][]byte) ([]string, error) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return nil, err
	}
	model, err := senses.Load(ctx, library, nil)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	arena, err := library.NewArena(nil)
	if err != nil {
		return nil, err
	}
	defer arena.Close()
	texts, err := vectors(model.TextEncode(ctx, uform.Strings(names), arena, nil))
	if err != nil {
		return nil, err
	}
	pictures, err := vectors(model.ImageEncode(ctx, uform.Bytes(files), arena, nil))
	if err != nil {
		return nil, err
	}
	var nearest []string
	for _, picture := range pictures {
		best := 0
		for i := range texts {
			if dot(picture, texts[i]) > dot(picture, texts[best]) {
				best = i
			}
		}
		nearest = append(nearest, names[best])
	}
	return nearest, nil
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func Example() {
	owl, err := os.ReadFile("testdata/owl.png")
	if err != nil {
		log.Fatal(err)
	}
	nearest, err := match(context.Background(), []string{"a rocket", "an owl", "a bicycle"}, [][]byte{owl})
	fmt.Println(nearest, err)
	// Output: [an owl] <nil>
}

// Pictures of emoji find their names.
func TestPicturesFindTheirNames(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.png")
	require.NoError(t, err)
	require.Len(t, paths, 12)
	var names []string
	var files [][]byte
	for _, path := range paths {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		files = append(files, file)
		names = append(names, strings.ReplaceAll(strings.TrimSuffix(filepath.Base(path), ".png"), "-", " "))
	}
	nearest, err := match(t.Context(), names, files)
	require.NoError(t, err)
	right := 0
	for i, name := range names {
		if nearest[i] == name {
			right++
		}
	}
	require.GreaterOrEqual(t, right, 10, "%q", nearest)
}

func TestSize(t *testing.T) { require.LessOrEqual(t, len(senses.Checkpoint()), 8_000_000) }
