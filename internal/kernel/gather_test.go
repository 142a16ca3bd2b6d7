package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Rows gathered in one call have the bits of rows added one by one, on each path.
func TestGatherInt4(t *testing.T) { eachPath(t, testGatherInt4) }

func testGatherInt4(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 1))
	const tableRows = 37
	table := func(rows, columns int) kernel.Int4 {
		t := kernel.Int4{Bytes: make([]byte, rows*((columns+1)/2)), Scales: randomFloats(random, rows)}
		for i := range t.Bytes {
			t.Bytes[i] = byte(random.Uint32())
		}
		t.Scales[3], t.Scales[4] = 0, 1e-30
		return t
	}
	for _, columns := range []int{1, 2, 15, 16, 31, 32, 33, 64, 95, 96, 97, 128, 192, 225, 301} {
		for _, positions := range []int{0, 1, 2, 9, 300} {
			for _, heads := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d×%d,heads=%t", positions, columns, heads), func(t *testing.T) {
					g := kernel.Gather{Table: table(tableRows, columns)}
					dst := randomFloats(random, positions*columns)
					want := append([]float32{}, dst...)
					if heads {
						g.Head, g.Heads = table(256, columns), make([]byte, positions)
						clear(want)
					}
					stride := (columns + 1) / 2
					for r := range positions {
						add := func(t kernel.Int4, row int) {
							kernel.AddInt4(want[r*columns:(r+1)*columns], t.Bytes[row*stride:][:stride], t.Scales[row])
						}
						if heads {
							g.Heads[r] = byte(random.Uint32())
							add(g.Head, int(g.Heads[r]))
						}
						for range random.IntN(4) * random.IntN(30) {
							row := random.Uint32N(tableRows)
							g.Rows = append(g.Rows, row)
							add(g.Table, int(row))
						}
						g.Ends = append(g.Ends, len(g.Rows))
					}
					kernel.GatherInt4(dst, columns, &g)
					require.Equal(t, want, dst)
				})
			}
		}
	}
}

func TestGatherInt4RefusesWhatIsNotThere(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		table := func(rows int) kernel.Int4 {
			return kernel.Int4{Bytes: make([]byte, 16*rows), Scales: make([]float32, rows)}
		}
		room := make([]float32, 64)
		call := func(change func(g *kernel.Gather)) func() {
			g := kernel.Gather{Head: table(256), Heads: []byte{255, 0}, Table: table(4), Rows: []uint32{3, 3}, Ends: []int{1, 2}}
			change(&g)
			return func() { kernel.GatherInt4(room, 32, &g) }
		}
		call(func(*kernel.Gather) {})()
		for name, change := range map[string]func(g *kernel.Gather){
			"a row":            func(g *kernel.Gather) { g.Rows[1] = 4 },
			"bytes":            func(g *kernel.Gather) { g.Table.Bytes = g.Table.Bytes[:63:63] },
			"scales":           func(g *kernel.Gather) { g.Table.Scales = g.Table.Scales[:3:3] },
			"rows":             func(g *kernel.Gather) { g.Ends[1] = 3 },
			"ends that ascend": func(g *kernel.Gather) { g.Ends = []int{2, 1} },
			"room":             func(g *kernel.Gather) { g.Ends = []int{1, 2, 2} },
			"a head":           func(g *kernel.Gather) { g.Heads = g.Heads[:1:1] },
			"its bytes":        func(g *kernel.Gather) { g.Head.Bytes = g.Head.Bytes[: 16*256-1 : 16*256-1] },
			"its scales":       func(g *kernel.Gather) { g.Head.Scales = g.Head.Scales[:255:255] },
		} {
			require.Panics(t, call(change), name)
		}
		require.Panics(t, func() { kernel.AddSigns(room, make([]uint64, 1), make([]float32, 2)) })
	})
}

func TestAddSigns(t *testing.T) { eachPath(t, testAddSigns) }

func testAddSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, words := range []int{1, 2, 4, 5} {
		for _, count := range []int{0, 1, 2, 7, 1100} {
			hashes, w := make([]uint64, count), randomFloats(random, count)
			for i := range hashes {
				hashes[i] = random.Uint64()
			}
			got := randomFloats(random, 64*words)
			want := append([]float32{}, got...)
			for i, weight := range w {
				for c := range want {
					if kernel.Signs(hashes[i], c/64)>>(c%64)&1 == 1 {
						want[c] += weight
					} else {
						want[c] -= weight
					}
				}
			}
			kernel.AddSigns(got, hashes, w)
			require.Equal(t, want, got, "%d weights, %d words", count, words)
		}
	}
}

func TestAccumulate(t *testing.T) { eachPath(t, testAccumulate) }

func testAccumulate(t *testing.T) {
	random := rand.New(rand.NewPCG(52, 1))
	for _, columns := range lengths {
		for _, count := range []int{0, 1, 3, 70} {
			rows, got := randomFloats(random, columns*count), make([]float64, columns)
			for i := range got {
				got[i] = random.NormFloat64()
			}
			want := append([]float64{}, got...)
			for i, v := range rows {
				want[i%columns] += float64(v)
			}
			kernel.Accumulate(got, rows)
			require.Equal(t, want, got, "%d rows of %d", count, columns)
		}
	}
}
