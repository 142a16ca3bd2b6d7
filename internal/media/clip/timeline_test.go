package clip_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/clip"
)

func TestPick(t *testing.T) {
	for name, c := range map[string]struct {
		starts []int64
		end    int64
		count  int
		want   []int
	}{
		"one":                                {[]int64{5}, 6, 3, []int{0, 0, 0}},
		"one, of no length":                  {[]int64{5}, 5, 2, []int{0, 0}},
		"as many":                            {[]int64{0, 1, 2, 3}, 4, 4, []int{0, 1, 2, 3}},
		"half as many, which is on time":     {[]int64{0, 1, 2, 3}, 4, 2, []int{1, 3}},
		"just too late":                      {[]int64{0, 100, 201, 300}, 400, 2, []int{1, 3}},
		"just in time":                       {[]int64{0, 101, 201, 300}, 402, 2, []int{0, 3}},
		"a third":                            {[]int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 9, 3, []int{1, 4, 7}},
		"long and short":                     {[]int64{0, 90, 95}, 100, 4, []int{0, 0, 0, 0}},
		"long and short, more":               {[]int64{0, 90, 95}, 100, 10, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 2}},
		"after the first, not after nothing": {[]int64{1000, 1010}, 1020, 2, []int{0, 1}},
		"before nothing":                     {[]int64{-20, -10}, 0, 2, []int{0, 1}},
		"out of order":                       {[]int64{0, 30, 10, 20}, 30, 2, []int{2, 1}},
		"the later of two at once":           {[]int64{0, 0, 10}, 20, 2, []int{1, 2}},
		"a last frame of no length":          {[]int64{0, 10, 20}, 20, 2, []int{0, 1}},
		"far apart":                          {[]int64{0, 1 << 60}, 1<<60 + 1, 2, []int{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, clip.Pick(c.starts, c.end, c.count))
		})
	}
}

// The rule itself, in fractions.
func TestPickRule(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		starts := []int64{random.Int64N(1000)}
		for range random.IntN(12) {
			starts = append(starts, starts[len(starts)-1]+1+random.Int64N(1<<(1+random.IntN(50))))
		}
		end := starts[len(starts)-1] + random.Int64N(1000)
		count := 1 + random.IntN(40)
		want := make([]int, count)
		for j := range want {
			at := big.NewRat(int64(2*j+1), 2)
			at.Mul(at, big.NewRat(end-starts[0], int64(count)))
			for i, start := range starts {
				if big.NewRat(start-starts[0], 1).Cmp(at) <= 0 {
					want[j] = i
				}
			}
		}
		require.Equal(t, want, clip.Pick(starts, end, count), "%v to %d", starts, end)
	}
}

func TestPlan(t *testing.T) {
	rising := []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	keys := func(at ...int) []bool {
		marks := make([]bool, len(rising))
		for _, i := range at {
			marks[i] = true
		}
		return marks
	}
	for name, c := range map[string]struct {
		keys   []bool
		starts []int64
		needed []int
		want   [][2]int
	}{
		"from the only key":     {keys(0), rising, []int{3}, [][2]int{{0, 3}}},
		"a key alone":           {keys(0, 5), rising, []int{5}, [][2]int{{5, 5}}},
		"from the last key":     {keys(0, 5), rising, []int{7}, [][2]int{{5, 7}}},
		"twice from one key":    {keys(0, 5), rising, []int{9, 7, 7}, [][2]int{{5, 9}}},
		"from two keys":         {keys(0, 5), rising, []int{2, 7}, [][2]int{{0, 2}, {5, 7}}},
		"through a key":         {keys(0, 5), rising, []int{4, 7}, [][2]int{{0, 7}}},
		"only keys":             {keys(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), rising, []int{1, 4, 8}, [][2]int{{1, 1}, {4, 4}, {8, 8}}},
		"no key":                {keys(), rising, []int{6}, [][2]int{{0, 6}}},
		"no key in front":       {keys(4), rising, []int{2, 6}, [][2]int{{0, 2}, {4, 6}}},
		"shown before its key":  {keys(0, 5), []int64{0, 1, 2, 3, 4, 8, 5, 6, 9, 10}, []int{7}, [][2]int{{0, 7}}},
		"shown behind that key": {keys(0, 5), []int64{0, 1, 2, 3, 4, 8, 5, 6, 9, 10}, []int{8}, [][2]int{{5, 8}}},
	} {
		needed := slices.Clone(c.needed)
		require.Equal(t, c.want, clip.Plan(c.keys, c.starts, c.needed), name)
		require.Equal(t, needed, c.needed, "%s: the request is left as it was", name)
	}
}
