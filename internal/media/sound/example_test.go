package sound_test

import (
	"fmt"
	"os"

	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// A file becomes the patches that a model reads, of which it keeps the first ones.
func Example() {
	data, err := os.ReadFile("../../../testdata/media/audio/cbr.mp3")
	if err != nil {
		fmt.Println(err)
		return
	}
	recording, err := sound.Decode(data, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	analyzer, err := sound.NewAnalyzer(sound.Config{
		Rate: 16000, Window: 400, Hop: 160, Mels: 80, Low: 0, High: 8000, Frames: 4, Mean: -4, Deviation: 4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	resampler, err := sound.NewResampler(recording.Rate, 16000)
	if err != nil {
		fmt.Println(err)
		return
	}
	const context = 5
	samples := resampler.Append(nil, recording.Samples, analyzer.Reach(context))
	patches := analyzer.Patches(nil, samples, context)
	fmt.Println(recording.Rate, "Hz,", len(recording.Samples), "samples")
	fmt.Println(analyzer.Count(resampler.Length(len(recording.Samples))), "patches of", analyzer.Size(), "values")
	fmt.Println(len(patches)/analyzer.Size(), "kept")
	// Output:
	// 44100 Hz, 15435 samples
	// 9 patches of 320 values
	// 5 kept
}
