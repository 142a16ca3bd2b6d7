package recipes_test

import "context"

var ctx = context.Background()

// texts are those of the examples. The question has no word in common with the text nearest to it.
var (
	texts    = []string{"a man is playing the guitar", "share prices are falling", "a cat sleeps in the sun"}
	question = "stocks fell sharply"
)

// must stands for a program's own handling of errors, to keep examples to what is of interest.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
