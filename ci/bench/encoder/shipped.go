package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// The dimensions of uform/words, from its card, and how many positions the engine reads at a time.
const (
	bagBlock           = 32
	bagWidth, bagRows  = 96, 73_500
	bagHashes          = 2
	laneColumns        = 256
	pooledWidth, dense = 2 * bagWidth, 128
)

var bagSizes, laneSizes = []int{3, 4, 5}, []int{2, 3, 4}

// bagOfWords is the breakdown of the shipped model's time. A bag of words has no product of note,
// so its lower bound is the rows that it reads.
type bagOfWords struct {
	each   float64   // seconds of a text
	floors []float64 // seconds of its parts alone, in the order of floorNames
	rows   int       // gathered for a text
	signs  int       // n-grams of the lexical lane in a text
}

var floorNames = []string{"gathered rows", "signs of the lane", "the product"}

// shipped measures uform/words on 64 sentences and, in turn with it, the kernel's routines for the
// same number of rows, signs and products: rows at random places of a table of its size.
func shipped(rounds int) (bagOfWords, error) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return bagOfWords{}, err
	}
	model, err := words.Load(ctx, library, nil)
	if err != nil {
		return bagOfWords{}, err
	}
	defer model.Close()
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
	if err != nil {
		return bagOfWords{}, err
	}
	defer executor.Close()
	arena, err := library.NewArena(executor)
	if err != nil {
		return bagOfWords{}, err
	}
	defer arena.Close()
	const count = 64
	random := rand.New(rand.NewPCG(3, 4))
	texts := sentences(random, count)
	var bag bagOfWords
	for _, text := range texts {
		bag.rows += len(text) + bagHashes*(grams(text, bagSizes)+len(strings.Fields(text)))
		bag.signs += grams(text, laneSizes)
	}
	// Every position takes as many rows as one has on average.
	positions, drawn := 0, 0
	for _, text := range texts {
		positions += len(text)
	}
	table := kernel.Int4{Bytes: make([]byte, bagRows*bagWidth/2), Scales: make([]float32, bagRows)}
	var gathers []*kernel.Gather
	for position := range positions {
		if position%bagBlock == 0 {
			gathers = append(gathers, &kernel.Gather{Table: table})
		}
		gather := gathers[len(gathers)-1]
		for ; drawn < bag.rows*(position+1)/positions; drawn++ {
			gather.Rows = append(gather.Rows, random.Uint32N(bagRows))
		}
		gather.Ends = append(gather.Ends, len(gather.Rows))
	}
	hashes, weights := make([]uint64, bag.signs), make([]float32, bag.signs)
	for i := range hashes {
		hashes[i], weights[i] = random.Uint64(), 0.5
	}
	sums, lane := make([]float32, bagBlock*bagWidth), make([]float32, laneColumns)
	projection := kernel.PackF32(dense, pooledWidth, func(int, []float32) {})
	pooled, out := make([]float32, count*pooledWidth), make([]float32, count*dense)
	tape, on := uform.Strings(texts), model.On(executor)
	var failed error
	spent := alternate(1, rounds, 20*time.Millisecond, []func(){
		func() {
			if _, err := on.TextEncode(ctx, tape, arena, nil); err != nil {
				failed = err
			}
		},
		func() {
			for _, gather := range gathers {
				kernel.GatherInt4(sums, bagWidth, gather)
			}
		},
		func() { kernel.AddSigns(lane, hashes, weights) },
		func() { projection.Product(out, dense, pooled, pooledWidth, count) },
	})
	bag.each, bag.rows, bag.signs = spent[0]/count, bag.rows/count, bag.signs/count
	for _, seconds := range spent[1:] {
		bag.floors = append(bag.floors, seconds/count)
	}
	return bag, failed
}

// grams returns the number of n-grams within words of a text whose words are separated by one
// space.
func grams(text string, sizes []int) int {
	count := 0
	for word := range strings.FieldsSeq(text) {
		for _, size := range sizes {
			count += max(0, len(word)+2-size+1)
		}
	}
	return count
}

// sentences returns sentences of ten words, from two to nine letters long.
func sentences(random *rand.Rand, count int) []string {
	texts := make([]string, count)
	for i := range texts {
		var drawn []string
		for range 10 {
			word := make([]byte, 2+random.IntN(8))
			for c := range word {
				word[c] = byte('a' + random.IntN(26))
			}
			drawn = append(drawn, string(word))
		}
		texts[i] = strings.Join(drawn, " ")
	}
	return texts
}

func writeShipped(out io.Writer, bag bagOfWords) {
	fmt.Fprintf(out, "| `uform/words`, a text of ten words | time | of the whole |\n| --- | --: | --: |\n| encoded among 64, one thread | %.2f µs | 100 %% |\n", 1e6*bag.each)
	sum := 0.0
	for i, seconds := range bag.floors {
		name := floorNames[i]
		switch i {
		case 0:
			name = fmt.Sprintf("%d %s of %d columns in four bits, alone", bag.rows, name, bagWidth)
		case 1:
			name = fmt.Sprintf("%s, %d n-grams of %d columns, alone", name, bag.signs, laneColumns)
		case 2:
			name = fmt.Sprintf("%s of %d × %d, alone", name, dense, pooledWidth)
		}
		sum += seconds
		fmt.Fprintf(out, "| %s | %.2f µs | %.0f %% |\n", name, 1e6*seconds, 100*seconds/bag.each)
	}
	fmt.Fprintf(out, "| the rest: hashes, sums in f64, checks | %.2f µs | %.0f %% |\n", 1e6*(bag.each-sum), 100*(1-sum/bag.each))
}
