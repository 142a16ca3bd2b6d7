package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

func Example() {
	config := &model.Config{
		Modalities: []string{"text"}, Context: 64, Width: 32, Columns: 32,
		Grams: &model.Grams{Sizes: []int{2, 3}, Hashes: 2, Buckets: 1000, Words: true},
	}
	file, err := train.Fresh(config, 1)
	if err != nil {
		log.Fatal(err)
	}
	run, err := train.New(file, nil)
	if err != nil {
		log.Fatal(err)
	}
	batch := &train.Batch{
		Items:  []train.Item{{Text: []byte("car")}, {Text: []byte("automobile")}, {Text: []byte("street")}, {Text: []byte("road")}},
		Groups: []int64{1, 1, 2, 2},
	}
	var stats *train.Stats
	for range 100 {
		if stats, err = run.Step(context.Background(), batch, nil); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(stats.Step, "steps of", stats.Items, "items, learned:", stats.Loss < 0.01)
	// Output: 100 steps of 4 items, learned: true
}
