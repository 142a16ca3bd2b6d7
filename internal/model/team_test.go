package model_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// The bits do not depend on the goroutine that computes a part: of one long text that all share,
// and of several batches at once.
func TestTeamChangesNoBits(t *testing.T) {
	for _, test := range []struct {
		config model.Config
		kind   abi.Scalar
	}{
		{longConfig(), abi.ScalarUnknown}, {configs["three layers with everything"], abi.ScalarUnknown},
		{configs["three layers with everything"], abi.ScalarI8}, {longConfig(), abi.ScalarI8},
	} {
		config := test.config
		m := newCheckpoint(21, config, model.BF16, model.F32).parse(t, &model.Options{Kind: test.kind})
		texts := sampleTexts(config.Context)
		embeddings, states := encodeAll(t, m, texts)
		for _, goroutines := range []int{1, 2, 3, 8} {
			for _, leaders := range []int{1, goroutines} {
				team := trunk.NewTeam(10)
				var ready, group sync.WaitGroup
				ready.Add(goroutines)
				for i := range goroutines {
					group.Go(func() {
						var scratch model.Scratch
						scratch.Join(team)
						defer scratch.Help()
						ready.Done()
						ready.Wait()
						if i >= leaders {
							return
						}
						gotEmbeddings, gotStates := make([]float32, len(embeddings)), make([]float32, len(states))
						for range 3 {
							if err := m.Encode(&scratch, texts, gotEmbeddings, gotStates, nil); err != nil {
								t.Error(err)
							}
							require.Equal(t, embeddings, gotEmbeddings)
							require.Equal(t, states, gotStates)
						}
					})
				}
				group.Wait()
			}
		}
	}
}

// A stop ends the work of all, and the next call of the same goroutines is complete again.
func TestTeamStops(t *testing.T) {
	config := longConfig()
	m := newCheckpoint(22, config, model.F32, model.F32).parse(t, nil)
	texts := sampleTexts(config.Context)
	embeddings, _ := encodeAll(t, m, texts)
	team := trunk.NewTeam(10)
	var lead model.Scratch
	var group sync.WaitGroup
	lead.Join(team)
	for range 3 {
		group.Go(func() {
			var scratch model.Scratch
			scratch.Join(team)
			scratch.Help()
		})
	}
	got := make([]float32, len(embeddings))
	for last := 1; last < 40; last++ {
		asked := 0
		err := m.Encode(&lead, texts, got, nil, func() bool { asked++; return asked == last })
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errors.ErrCancelled)
		require.Equal(t, last, asked, "nothing is asked after a stop")
	}
	require.NoError(t, m.Encode(&lead, texts, got, nil, nil))
	require.Equal(t, embeddings, got)
	lead.Help()
	group.Wait()
}
