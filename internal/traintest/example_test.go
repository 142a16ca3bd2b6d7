package traintest_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/unum-cloud/uform-go/internal/traintest"
)

func Example() {
	sums := make([]float32, 3)
	var processes sync.WaitGroup
	for i, reducer := range traintest.Processes(3) {
		processes.Go(func() {
			values := []float32{float32(i + 1)}
			if err := reducer.AllReduce(context.Background(), values); err == nil {
				sums[i] = values[0]
			}
		})
	}
	processes.Wait()
	fmt.Println(sums)
	// Output: [6 6 6]
}
