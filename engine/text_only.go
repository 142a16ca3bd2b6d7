//go:build uform_text

package engine

import (
	"fmt"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

const whole = false

// leftOut is the error of what the build tag uform_text takes away.
func leftOut(what string) error {
	return fmt.Errorf("the program was built with the tag uform_text, which leaves %s out: build it without: %w", what, errors.ErrUnsupported)
}

func decodePicture([]byte, *raster.Limits, [3]uint8) (*raster.Image, error) {
	return nil, leftOut("decoders of images")
}

func decodeClip([]byte, int, *clip.Limits) ([]raster.Image, error) {
	return nil, leftOut("decoders of videos")
}

func decodeRecording([]byte, *sound.Limits) (*sound.Recording, error) {
	return nil, leftOut("decoders of recordings")
}

func startRun([]byte, *train.Options) (trainingRun, error) { return nil, leftOut("the trainer") }

func joinMPI(int, int) (train.Reducer, error) { return nil, leftOut("the trainer") }
