//go:build !uform_text

package engine

import (
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/internal/media/sound"
	"github.com/unum-cloud/uform-go/internal/mpi"
)

// The functions here are the only ways to decoders of files and to the trainer, so that the linker
// leaves all of both out where the build tag uform_text takes this file away: text_only.go has
// their counterparts.

// whole is whether nothing is left out.
const whole = true

func decodePicture(file []byte, limits *raster.Limits, background [3]uint8) (*raster.Image, error) {
	return raster.Decode(file, limits, background)
}

func decodeClip(file []byte, count int, limits *clip.Limits) ([]raster.Image, error) {
	return clip.Frames(file, count, limits)
}

func decodeRecording(file []byte, limits *sound.Limits) (*sound.Recording, error) {
	return sound.Decode(file, limits)
}

// startRun is [train.New] with a nil interface where that returns a nil pointer.
func startRun(checkpoint []byte, options *train.Options) (trainingRun, error) {
	run, err := train.New(checkpoint, options)
	if err != nil {
		return nil, err
	}
	return run, nil
}

// joinMPI is [mpi.Join] with a nil interface where that returns a nil pointer.
func joinMPI(index, count int) (train.Reducer, error) {
	run, err := mpi.Join(index, count)
	if err != nil {
		return nil, err
	}
	return run, nil
}
