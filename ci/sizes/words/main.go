// Command words is the smallest program that embeds texts by the model of package words, which is
// in it. Its size is measured by ci/sizes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/unum-cloud/uform-go/uform/words"
)

func main() {
	vectors, err := words.Embed(context.Background(), os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(vectors)
}
