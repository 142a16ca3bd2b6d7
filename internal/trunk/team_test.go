package trunk_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// The bits do not depend on the goroutine that computes a part: of one long text that all share,
// and of several batches at once.
func TestTeamChangesNoBits(t *testing.T) {
	for name, s := range shapes {
		for _, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarI8} {
			if kind == abi.ScalarI8 && name != "bert" && name != "causal windows" {
				continue
			}
			t.Run(name+"/"+kind.String(), func(t *testing.T) {
				built := describe(s).build(t, always(kind))
				in := newTexts(s.config.Width, s.lengths()...)
				var alone trunk.Scratch
				want := run(t, built, &alone, in, trunk.EveryRow)
				for _, goroutines := range []int{2, 5} {
					for _, leaders := range []int{1, goroutines} {
						team := trunk.NewTeam(10)
						var ready, group sync.WaitGroup
						ready.Add(goroutines)
						for i := range goroutines {
							group.Go(func() {
								var scratch trunk.Scratch
								scratch.Join(team)
								defer scratch.Help()
								ready.Done()
								ready.Wait()
								if i < leaders {
									require.Equal(t, want, run(t, built, &scratch, in, trunk.EveryRow))
								}
							})
						}
						group.Wait()
					}
				}
			})
		}
	}
}
