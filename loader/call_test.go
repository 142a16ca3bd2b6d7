package loader_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/native"
)

// arguments is the one heap object that a blocking call needs.
type arguments struct {
	outcome     abi.Outcome
	description abi.ArenaDescription
	describe    abi.ArenaDescribe
	encode      abi.TextEncode
}

func TestBlockingCallAllocatesNothing(t *testing.T) {
	table := open(t, stub(t)).Table
	box := new(arguments)
	box.describe = abi.ArenaDescribe{Outcome: &box.outcome, Description: &box.description}
	call := func() {
		box.outcome.Status = abi.StatusUnknown
		box.description.Device = 0
		table.ArenaDescribe(&box.describe)
		if table.OutcomeStatus(&box.outcome) != abi.StatusInvalidArgument || box.description.Device != -1 {
			t.Error("the call did not happen")
		}
	}
	most := 0.0
	if !native.Direct {
		most = 4 // for two calls
	}
	require.LessOrEqual(t, testing.AllocsPerRun(1000, call), most)
}

// Two status functions answer 32 bits, whose sign survives.
func TestStatusIsSigned(t *testing.T) {
	table := open(t, stub(t)).Table
	for _, status := range []abi.Status{abi.StatusSuccess, abi.StatusUnknown, abi.StatusPeer, abi.StatusSymbolMissing, -1 << 31, 1<<31 - 1} {
		outcome := &abi.Outcome{Status: status}
		require.Equal(t, status, table.OutcomeStatus(outcome))
		require.Equal(t, status, table.OutcomeWait(outcome))
	}
}

// A verb that the library lacks answers by itself.
func TestAbsentVerb(t *testing.T) {
	table := open(t, stub(t)).Table
	outcome := &abi.Outcome{Status: abi.StatusUnknown}
	rows := &abi.RowsView{Stride: 1}
	table.ImageEncode(&abi.ImageEncode{Outcome: outcome, Embeddings: rows})
	require.Equal(t, abi.StatusUnsupported, outcome.Status)
	require.Equal(t, abi.RowsView{}, *rows)
	table.ImageEncode(&abi.ImageEncode{})
	table.TrainerFree(0)
}
