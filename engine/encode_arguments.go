package engine

import "github.com/unum-cloud/uform-go/abi"

// encodeArguments are what every encoding verb takes, for every kind of item.
type encodeArguments struct {
	model         abi.Model
	executor      abi.Executor
	arena         abi.Arena
	outcome       *abi.Outcome
	completion    abi.Completion
	scalar        abi.Scalar
	items         abi.TapeView
	count         uintptr
	progress      abi.Progress
	progressState uintptr
	embeddings    *abi.RowsView
	states        *abi.RowsTapeView
}
