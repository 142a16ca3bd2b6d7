package modeltest_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
)

// The same seed draws the same checkpoint, and every one of them loads.
func Example() {
	random := rand.New(rand.NewPCG(1, 1))
	file, err := modeltest.Checkpoint(random, modeltest.Config(random))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = model.Parse(file, nil)
	fmt.Println(err)
	// Output: <nil>
}
