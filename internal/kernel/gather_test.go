package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Rows gathered in one call have the bits of rows added one by one, on each path.
func TestAddInt4Rows(t *testing.T) { eachPath(t, testAddInt4Rows) }

func testAddInt4Rows(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 1))
	const tableRows = 37
	for _, columns := range []int{1, 2, 15, 16, 31, 32, 33, 64, 95, 96, 97, 128, 192, 225, 301} {
		for _, positions := range []int{0, 1, 2, 9, 300} {
			t.Run(fmt.Sprintf("%d×%d", positions, columns), func(t *testing.T) {
				stride := (columns + 1) / 2
				table, scales := make([]byte, tableRows*stride), randomFloats(random, tableRows)
				for i := range table {
					table[i] = byte(random.Uint32())
				}
				scales[3], scales[4] = 0, 1e-30
				dst := randomFloats(random, positions*columns)
				want := append([]float32{}, dst...)
				var rows []uint32
				var ends []int
				for r := range positions {
					for range random.IntN(4) * random.IntN(30) {
						row := random.Uint32N(tableRows)
						rows = append(rows, row)
						kernel.AddInt4(want[r*columns:(r+1)*columns], table[int(row)*stride:][:stride], scales[row])
					}
					ends = append(ends, len(rows))
				}
				kernel.AddInt4Rows(dst, columns, table, scales, rows, ends)
				require.Equal(t, want, dst)
			})
		}
	}
}

func TestAddInt4RowsRefusesWhatIsNotThere(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		dst, table, scales := make([]float32, 64), make([]byte, 64), make([]float32, 4)
		kernel.AddInt4Rows(dst, 32, table, scales, []uint32{3, 3}, []int{1, 2})
		for name, call := range map[string]func(){
			"a row":            func() { kernel.AddInt4Rows(dst, 32, table, scales, []uint32{3, 4}, []int{1, 2}) },
			"bytes":            func() { kernel.AddInt4Rows(dst, 32, table[:63:63], scales, []uint32{3, 0}, []int{1, 2}) },
			"room":             func() { kernel.AddInt4Rows(dst[:63:63], 32, table, scales, []uint32{3, 0}, []int{1, 2}) },
			"rows":             func() { kernel.AddInt4Rows(dst, 32, table, scales, []uint32{3, 0}, []int{1, 3}) },
			"ends that ascend": func() { kernel.AddInt4Rows(dst, 32, table, scales, []uint32{3, 0}, []int{2, 1}) },
			"words":            func() { kernel.AddSigns(dst, make([]uint64, 1), make([]float32, 2)) },
		} {
			require.Panics(t, call, name)
		}
	})
}

func TestAddSigns(t *testing.T) { eachPath(t, testAddSigns) }

func testAddSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, words := range []int{1, 2, 4, 5} {
		for _, count := range []int{0, 1, 2, 7, 1100} {
			z, w := make([]uint64, words*count), randomFloats(random, count)
			for i := range z {
				z[i] = random.Uint64()
			}
			got := randomFloats(random, 64*words)
			want := append([]float32{}, got...)
			for i, weight := range w {
				for c := range want {
					if z[i*words+c/64]>>(c%64)&1 == 1 {
						want[c] += weight
					} else {
						want[c] -= weight
					}
				}
			}
			kernel.AddSigns(got, z, w)
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
