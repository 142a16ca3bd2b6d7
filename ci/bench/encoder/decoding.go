package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// repeats is the number of copies of a file that FFmpeg decodes in one process, so that its start
// does not count.
const repeats = 40

// perRound is how often a file is decoded here in a round.
const perRound = 9

// decoding prints the time from a file's bytes to the encoder's input, here and by FFmpeg, on one
// thread each, and the share of decoding in it. FFmpeg makes the files, in a folder.
func decoding(out io.Writer, folder string, rounds int) error {
	fmt.Fprintf(out, "| a file until an encoder has it | here | of which decoding | FFmpeg | here / FFmpeg |\n| --- | --: | --: | --: | --: |\n")
	tones := []string{"-f", "lavfi", "-i", "sine=frequency=440:duration=10:sample_rate=44100", "-f", "lavfi", "-i", "anoisesrc=duration=10:amplitude=0.1:sample_rate=44100",
		"-filter_complex", "[0][1]amix=inputs=2", "-ac", "2"}
	for _, file := range []struct {
		name   string
		make   []string
		to     []string // FFmpeg's options for the output
		decode func(data []byte) (decoded, whole time.Duration, err error)
	}{
		{"1080p.jpg", []string{"-f", "lavfi", "-i", "testsrc2=size=1920x1080,noise=alls=12", "-frames:v", "1", "-q:v", "3"},
			[]string{"-vf", "scale=224:224:flags=bicubic,format=rgb24", "-f", "rawvideo"}, picture224},
		{"10s.flac", tones, []string{"-ac", "1", "-ar", "16000", "-f", "f32le"}, recording16k},
		{"10s.mp3", append(tones, "-b:a", "128k"), []string{"-ac", "1", "-ar", "16000", "-f", "f32le"}, recording16k},
	} {
		path := filepath.Join(folder, file.name)
		if said, err := exec.Command("ffmpeg", append(append([]string{"-v", "error"}, file.make...), path)...).CombinedOutput(); err != nil {
			return fmt.Errorf("make %s: %w\n%s", file.name, err, said)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var parts, wholes, theirs []float64
		for range rounds {
			for range perRound {
				part, all, err := file.decode(data)
				if err != nil {
					return fmt.Errorf("%s: %w", file.name, err)
				}
				parts, wholes = append(parts, part.Seconds()), append(wholes, all.Seconds())
			}
			spent, err := byFFmpeg(path, file.to)
			if err != nil {
				return err
			}
			theirs = append(theirs, spent.Seconds())
		}
		whole, other := middle(wholes), middle(theirs)
		fmt.Fprintf(out, "| %s | %.1f ms | %.0f %% | %.1f ms | %.2f |\n", file.name, 1e3*whole, 100*middle(parts)/whole, 1e3*other, whole/other)
	}
	return nil
}

// byFFmpeg returns the processor time per file in a process with many files, minus that of a
// process with one.
func byFFmpeg(path string, to []string) (time.Duration, error) {
	spend := func(count int) (time.Duration, error) {
		var list bytes.Buffer
		for range count {
			fmt.Fprintf(&list, "file '%s'\n", path)
		}
		names := path + strconv.Itoa(count) + ".txt"
		if err := os.WriteFile(names, list.Bytes(), 0o600); err != nil {
			return 0, err
		}
		arguments := append([]string{"-v", "error", "-threads", "1", "-f", "concat", "-safe", "0", "-i", names, "-threads", "1", "-filter_threads", "1"}, to...)
		command := exec.Command("ffmpeg", append(arguments, "-y", "/dev/null")...)
		if said, err := command.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("run ffmpeg: %w\n%s", err, said)
		}
		return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), nil
	}
	one, err := spend(1)
	if err != nil {
		return 0, err
	}
	many, err := spend(1 + repeats)
	return (many - one) / repeats, err
}

// clocked returns the time that a function takes.
func clocked(work func() error) (time.Duration, error) {
	begin := seconds(1)
	err := work()
	return time.Duration((seconds(1) - begin) * 1e9), err
}

func picture224(data []byte) (decoded, whole time.Duration, err error) {
	var picture *raster.Image
	decoded, err = clocked(func() (err error) {
		picture, err = raster.Decode(data, nil, [3]uint8{255, 255, 255})
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	rest, err := clocked(func() error {
		raster.Patches(make([]float32, 224*224*3), raster.Resize(picture, 224), 224, 16, [3]float32{0.5, 0.5, 0.5}, [3]float32{0.5, 0.5, 0.5})
		return nil
	})
	return decoded, decoded + rest, err
}

func recording16k(data []byte) (decoded, whole time.Duration, err error) {
	var recording *sound.Recording
	decoded, err = clocked(func() (err error) {
		recording, err = sound.Decode(data, nil)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	rest, err := clocked(func() error {
		_, err := sound.Resample(nil, recording.Samples, recording.Rate, 16000)
		return err
	})
	return decoded, decoded + rest, err
}
