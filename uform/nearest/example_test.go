package nearest_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
	"github.com/unum-cloud/uform-go/uform/words"
)

// Texts are found by meaning. The key of a text is its index.
func Example() {
	ctx := context.Background()
	texts := []string{"prices are falling", "someone makes music", "the cat is asleep"}
	vectors, err := words.Embed(ctx, texts)
	if err != nil {
		log.Fatal(err)
	}
	index, err := nearest.New(&nearest.Options{Columns: len(vectors[0])})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := index.Add([]uint64{0, 1, 2}, vectors); err != nil {
		log.Fatal(err)
	}

	query, err := words.Embed(ctx, []string{"a man is playing the guitar"})
	if err != nil {
		log.Fatal(err)
	}
	matches, err := index.Search(ctx, query[0], 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, match := range matches {
		fmt.Printf("%.1f  %s\n", match.Score, texts[match.Key])
	}
	// Output:
	// 0.3  someone makes music
	// 0.0  prices are falling
}

// An index is saved, opened by another program, and changed there.
func ExampleOpen() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "nearest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "points.nearest")

	made, err := nearest.New(&nearest.Options{Columns: 2, Scalar: uform.F16, Metric: nearest.Euclidean})
	if err != nil {
		log.Fatal(err)
	}
	defer made.Close()
	if err := made.Add([]uint64{10, 20, 30}, [][]float32{{0, 0}, {3, 4}, {6, 8}}); err != nil {
		log.Fatal(err)
	}
	if err := made.Save(ctx, path); err != nil {
		log.Fatal(err)
	}

	index, err := nearest.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if _, err := index.Delete([]uint64{10}); err != nil {
		log.Fatal(err)
	}
	if err := index.Replace([]uint64{40}, [][]float32{{0, 2}}); err != nil {
		log.Fatal(err)
	}
	matches, err := index.Search(ctx, []float32{0, 0}, 2, &nearest.SearchOptions{
		Filter: func(key uint64) bool { return key >= 20 },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(index.Len(), "rows:", matches)
	// Output:
	// 3 rows: [{40 2} {20 5}]
}
