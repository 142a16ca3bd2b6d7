package kernel_test

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Two outputs of three inputs, packed once and applied to two rows.
func Example() {
	weights := []float32{
		1, 2, 3,
		0, 1, 0,
	}
	packed := kernel.PackBF16(2, 3, func(output int, dst []float32) { copy(dst, weights[output*3:]) })

	rows := []float32{
		1, 1, 1,
		0.5, 0, -1,
	}
	products := make([]float32, 2*2)
	packed.Product(products, 2, rows, 3, 2)
	fmt.Println(products)

	kernel.Softmax(products[:2], 1)
	fmt.Printf("%.3f\n", products[:2])
	// Output:
	// [6 1 -2.5 0]
	// [0.993 0.007]
}
