// Command load is the smallest program that embeds texts by a checkpoint of its own. Its size is
// measured by ci/sizes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/unum-cloud/uform-go/uform"
)

func main() {
	ctx := context.Background()
	library, err := uform.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := library.Load(ctx, os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	vectors, err := model.Embed(ctx, os.Args[2:])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(vectors)
}
