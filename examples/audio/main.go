package main

import (
	"context"
	"os"

	"github.com/unum-cloud/uform-go/examples/internal/nearest"
	"github.com/unum-cloud/uform-go/testdata/media"
	"github.com/unum-cloud/uform-go/uform"
)

var medium = &nearest.Medium{
	Name: "audio", Samples: func() ([]nearest.File, error) { return nearest.FromFS(media.Files, "audio") },
	Encode: uform.On.AudioEncode, Look: spectrogram, Columns: 4, Width: 240, Height: 120,
}

func main() { os.Exit(nearest.Run(context.Background(), medium, os.Args[1:], os.Stdout, os.Stderr)) }
