package senses

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/unum-cloud/uform-go/internal/media/sound"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Voices are for training; held-out voices are for evaluation.
var (
	Voices     = []string{"m1", "m3", "m7", "f1", "f3", "f5", "adam", "linda"}
	HeldVoices = []string{"m4", "f2"}
)

// Speech returns words as spoken by voices, from the espeak-ng that is unpacked in a folder.
func Speech(folder string, words, voices []string, config *model.Audio) ([]Named, error) {
	libraries, err := filepath.Glob(filepath.Join(folder, "usr", "lib", "*", "espeak-ng-data"))
	if err != nil || len(libraries) == 0 {
		return nil, fmt.Errorf("%s holds no espeak-ng: run fetch.sh first", folder)
	}
	library := filepath.Dir(libraries[0])
	analyzer, err := sound.NewAnalyzer(sound.Config{
		Rate: config.Rate, Window: config.Window, Hop: config.Hop, Mels: config.Mels, Low: config.Low, High: config.High,
		Frames: config.Frames, Mean: config.Mean, Deviation: config.Deviation,
	})
	if err != nil {
		return nil, err
	}
	room, err := os.MkdirTemp("", "senses")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(room)
	var all []Named
	for _, voice := range voices {
		for _, word := range words {
			path := filepath.Join(room, "word.wav") // output to a pipe has no length in its header
			speak := exec.Command(filepath.Join(folder, "usr", "bin", "espeak-ng"), "-v", "en-us+"+voice, "-w", path, word)
			speak.Env = append(os.Environ(), "LD_LIBRARY_PATH="+library, "ESPEAK_DATA_PATH="+library)
			if out, err := speak.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("espeak-ng of %q: %w: %s", word, err, out)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			patches, err := heard(file, analyzer, config.Rate)
			if err != nil {
				return nil, fmt.Errorf("%q of %s: %w", word, voice, err)
			}
			all = append(all, Named{word, voice, patches})
		}
	}
	return all, nil
}

// heard returns the patches of a recording's file, as the engine computes them.
func heard(file []byte, analyzer *sound.Analyzer, rate int) ([]float32, error) {
	recording, err := sound.Decode(file, nil)
	if err != nil {
		return nil, err
	}
	samples, err := sound.Resample(nil, recording.Samples, recording.Rate, rate)
	if err != nil {
		return nil, err
	}
	const most = 32 // patches, of 80 ms each
	return analyzer.Patches(nil, samples, most), nil
}
