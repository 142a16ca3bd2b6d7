package engine

import "github.com/unum-cloud/uform-go/abi"

// The engine serves no training yet. What belongs to it is in the table all the same: each verb clears the outputs it is
// given and ends unsupported, whatever else its arguments hold.

var noTraining = refuse(abi.StatusUnsupported, "the embedded engine trains no models")

func trainerInit(arguments *abi.TrainerInit) {
	if arguments != nil {
		if arguments.Trainer != nil {
			*arguments.Trainer = 0
		}
		end(arguments.Outcome, noTraining)
	}
}

func trainerStep(arguments *abi.TrainerStep) {
	if arguments != nil {
		clearOutputs(arguments.Embeddings, nil)
		end(arguments.Outcome, noTraining)
	}
}

func trainerSave(arguments *abi.TrainerSave) {
	if arguments != nil {
		end(arguments.Outcome, noTraining)
	}
}

// trainerFree has nothing to free: no id of this library is a trainer's.
func trainerFree(abi.Trainer) {}
