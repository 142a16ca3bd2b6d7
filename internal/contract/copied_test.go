package contract_test

import (
	"runtime"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// copiesOnce shows that a deferred call copies its inputs once, by the bytes that are allocated
// meanwhile, and that a blocking call copies nothing. The library refuses each call, so that the
// binding allocates all of the bytes.
func copiesOnce(u *user) {
	on, table := *u.implementation, *u.table
	contend := func(outcome *abi.Outcome) { outcome.Store(abi.StatusContended) }
	table.TextEncode = func(a *abi.TextEncode) { contend(a.Outcome) }
	table.TextChoose = func(a *abi.TextChoose) { contend(a.Outcome) }
	table.ImageEncode = func(a *abi.ImageEncode) { contend(a.Outcome) }
	table.ImageEncodePixels = func(a *abi.ImageEncodePixels) { contend(a.Outcome) }
	table.VideoEncode = func(a *abi.VideoEncode) { contend(a.Outcome) }
	table.AudioEncode = func(a *abi.AudioEncode) { contend(a.Outcome) }
	table.AudioEncodeSamples = func(a *abi.AudioEncodeSamples) { contend(a.Outcome) }
	table.TrainerStep = func(a *abi.TrainerStep) { contend(a.Outcome) }
	on.table, on.library = &table, uform.OpenTable(&table)
	u = &user{T: u.T, implementation: &on}

	const side = 1 << 10
	const bytes = 3 * side * side
	at := u.mediaSeat()
	trainer := u.runFrom(at.executor, full().path(u.T))
	tape := uform.Tape{Data: make([]byte, bytes), Offsets: []int64{0, bytes}}
	pixels := uform.Pixels{Tape: tape, Heights: []uint32{side}, Widths: []uint32{side}}
	samples := uform.Samples{Data: make([]float32, bytes/4), Offsets: []int64{0, bytes / 4}}
	few := uform.Strings([]string{"ab"})
	now, later := at.model.On(at.executor), at.model.Deferred(at.executor)
	for name, verb := range map[string]struct{ blocking, deferred func() error }{
		"texts": {
			func() error { _, err := now.TextEncode(background, tape, at.arena, nil); return err },
			func() error { _, err := later.TextEncode(background, tape, at.arena, nil); return err },
		},
		"texts to choose for": {
			func() error { _, err := now.TextChoose(background, tape, few, at.arena, nil); return err },
			func() error { _, err := later.TextChoose(background, tape, few, at.arena, nil); return err },
		},
		"choices": {
			func() error { _, err := now.TextChoose(background, few, tape, at.arena, nil); return err },
			func() error { _, err := later.TextChoose(background, few, tape, at.arena, nil); return err },
		},
		"images": {
			func() error { _, err := now.ImageEncode(background, tape, at.arena, nil); return err },
			func() error { _, err := later.ImageEncode(background, tape, at.arena, nil); return err },
		},
		"pixels": {
			func() error { _, err := now.ImageEncodePixels(background, pixels, at.arena, nil); return err },
			func() error { _, err := later.ImageEncodePixels(background, pixels, at.arena, nil); return err },
		},
		"videos": {
			func() error { _, err := now.VideoEncode(background, tape, at.arena, nil); return err },
			func() error { _, err := later.VideoEncode(background, tape, at.arena, nil); return err },
		},
		"recordings": {
			func() error { _, err := now.AudioEncode(background, tape, at.arena, nil); return err },
			func() error { _, err := later.AudioEncode(background, tape, at.arena, nil); return err },
		},
		"samples": {
			func() error { _, err := now.AudioEncodeSamples(background, samples, at.arena, nil); return err },
			func() error { _, err := later.AudioEncodeSamples(background, samples, at.arena, nil); return err },
		},
		"examples": {
			func() error {
				_, err := trainer.On(at.executor).Step(background, uform.Examples{Contents: tape}, nil, nil)
				return err
			},
			func() error {
				_, err := trainer.Deferred(at.executor).Step(background, uform.Examples{Contents: tape}, nil, nil)
				return err
			},
		},
	} {
		require.Less(u, allocated(u, verb.blocking), bytes/2, name)
		copied := allocated(u, verb.deferred)
		require.GreaterOrEqual(u, copied, bytes, name)
		require.Less(u, copied, bytes*3/2, name)
	}
}

// allocated returns the bytes that a call allocates which the library refuses as contended.
func allocated(u *user, call func() error) int {
	u.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := call()
	runtime.ReadMemStats(&after)
	require.ErrorIs(u, err, uform.ErrContended)
	return int(after.TotalAlloc - before.TotalAlloc)
}
