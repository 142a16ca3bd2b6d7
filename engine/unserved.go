package engine

import "github.com/unum-cloud/uform-go/abi"

// The engine serves no media and no training yet. What belongs to them is in the table all the same: each verb clears
// the outputs it is given and ends unsupported, whatever else its arguments hold.

var (
	noImages     = refuse(abi.StatusUnsupported, "the embedded engine encodes no images")
	noVideos     = refuse(abi.StatusUnsupported, "the embedded engine encodes no videos")
	noRecordings = refuse(abi.StatusUnsupported, "the embedded engine encodes no recordings")
	noTraining   = refuse(abi.StatusUnsupported, "the embedded engine trains no models")
)

func imageEncode(arguments *abi.ImageEncode) {
	if arguments != nil {
		clearOutputs(arguments.Embeddings, arguments.States)
		end(arguments.Outcome, noImages)
	}
}

func imageEncodePixels(arguments *abi.ImageEncodePixels) {
	if arguments != nil {
		clearOutputs(arguments.Embeddings, arguments.States)
		end(arguments.Outcome, noImages)
	}
}

func videoEncode(arguments *abi.VideoEncode) {
	if arguments != nil {
		clearOutputs(arguments.Embeddings, arguments.States)
		end(arguments.Outcome, noVideos)
	}
}

func audioEncode(arguments *abi.AudioEncode) {
	if arguments != nil {
		clearOutputs(arguments.Embeddings, arguments.States)
		end(arguments.Outcome, noRecordings)
	}
}

func audioEncodeSamples(arguments *abi.AudioEncodeSamples) {
	if arguments != nil {
		clearOutputs(arguments.Embeddings, arguments.States)
		end(arguments.Outcome, noRecordings)
	}
}

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
