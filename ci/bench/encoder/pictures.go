package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unum-cloud/uform-go/internal/media/preprocess"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// compareMedia measures decoders beside the programs of a folder, and FFmpeg.
func compareMedia(programs string, rounds int, page string) error {
	folder, err := os.MkdirTemp("", "uform-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var report strings.Builder
	fmt.Fprintf(&report, "Medians of %d interleaved rounds, of processor time on one thread, on %s.\n\n", rounds, machine())
	if err := pictures(&report, programs, folder, rounds); err != nil {
		return err
	}
	report.WriteString("\n")
	if err := decoding(&report, folder, rounds); err != nil {
		return err
	}
	return put(page, "media", report.String())
}

// scenes are what FFmpeg draws: shapes with edges, and detail everywhere.
var scenes = []struct{ name, source string }{
	{"shapes", "testsrc2=size=1920x1080,noise=alls=12"},
	{"fractal", "mandelbrot=size=1920x1080:start_scale=0.01,noise=alls=6"},
}

// work is something that is done with a picture, here and by a program: the command that makes the
// file of it from SCENE.png or SCENE.ppm, or nothing where those are the file.
type work struct {
	title, file, peer, kind string
	command                 string
	here                    func(data []byte) (func() error, error)
}

var works = []work{
	{"baseline JPEG, 4:2:0", "420.jpg", "libjpeg-turbo", "jpeg", "cjpeg -quality 85 -outfile FILE SCENE.ppm", decodePicture},
	{"baseline JPEG, 4:4:4", "444.jpg", "libjpeg-turbo", "jpeg", "cjpeg -quality 90 -sample 1x1 -outfile FILE SCENE.ppm", decodePicture},
	{"progressive JPEG, 4:2:0", "progressive.jpg", "libjpeg-turbo", "jpeg", "cjpeg -quality 85 -progressive -outfile FILE SCENE.ppm", decodePicture},
	{"PNG", "png", "libpng", "png", "", decodePicture},
	{"lossy WebP", "lossy.webp", "libwebp", "webp", "cwebp -quiet -q 80 SCENE.png -o FILE", decodePicture},
	{"lossless WebP", "lossless.webp", "libwebp", "webp", "cwebp -quiet -lossless SCENE.png -o FILE", decodePicture},
	{"resizing to 224 × 224, in floats", "png", "Pillow-SIMD", "pillow-simd", "", resizePicture},
	{"resizing to 224 × 224, as Pillow", "png", "Pillow-SIMD", "pillow-simd", "", resizeAsPillow},
	{"resizing to 224 × 224, as Pillow", "png", "Pillow", "pillow", "", resizeAsPillow},
}

func decodePicture(data []byte) (func() error, error) {
	return func() error {
		_, err := raster.Decode(data, nil, [3]uint8{255, 255, 255})
		return err
	}, nil
}

func resizePicture(data []byte) (func() error, error) {
	picture, err := raster.Decode(data, nil, [3]uint8{255, 255, 255})
	var resizer raster.Resizer
	dst := make([]float32, 224*224*3)
	return func() error {
		resizer.Resize(dst, picture, 224)
		return nil
	}, err
}

func resizeAsPillow(data []byte) (func() error, error) {
	picture, err := raster.Decode(data, nil, [3]uint8{255, 255, 255})
	var resizer preprocess.Resizer
	dst := make([]byte, 224*224*3)
	return func() error {
		resizer.Resize(dst, picture, preprocess.Area{Width: 224, Height: 224, Columns: 224, Rows: 224}, preprocess.Bicubic)
		return nil
	}, err
}

// pictures writes a table of the time of each work, here and by a program.
func pictures(out io.Writer, programs, folder string, rounds int) error {
	peers := map[string]*peerProcess{}
	for kind, command := range map[string]string{
		"": "peer", "pillow": "pillow/bin/python " + programs + "/pillow.py", "pillow-simd": "pillow-simd/bin/python " + programs + "/pillow.py",
	} {
		peer, err := startPeer(filepath.Join(programs, command), folder)
		if err != nil {
			return fmt.Errorf("%s: %w; media.sh prepares the folder", command, err)
		}
		defer peer.close()
		peers[kind] = peer
	}
	fmt.Fprint(out, "| 1920 × 1080 |")
	for _, scene := range scenes {
		fmt.Fprintf(out, " %s: here | theirs | here / theirs |", scene.name)
		for _, extension := range []string{".png", ".ppm"} {
			said, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", scene.source, "-frames:v", "1", "-pix_fmt", "rgb24",
				filepath.Join(folder, scene.name+extension)).CombinedOutput()
			if err != nil {
				return fmt.Errorf("make %s%s: %w\n%s", scene.name, extension, err, said)
			}
		}
	}
	fmt.Fprintf(out, "\n| --- |%s\n", strings.Repeat(" --: | --: | --: |", len(scenes)))
	for _, w := range works {
		fmt.Fprintf(out, "| %s; %s |", w.title, w.peer)
		peer := peers[w.kind]
		if peer == nil {
			peer = peers[""]
		}
		for _, scene := range scenes {
			here, theirs, err := w.measure(peer, folder, scene.name, rounds)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", w.title, scene.name, err)
			}
			fmt.Fprintf(out, " %.1f ms | %.1f ms | %.2f |", 1e3*here, 1e3*theirs, here/theirs)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// measure returns the medians of some rounds, in seconds.
func (w *work) measure(peer *peerProcess, folder, scene string, rounds int) (here, theirs float64, err error) {
	name := scene + "." + w.file
	if w.command != "" {
		words := strings.Fields(strings.NewReplacer("FILE", name, "SCENE", scene).Replace(w.command))
		command := exec.Command(words[0], words[1:]...)
		command.Dir = folder
		if said, err := command.CombinedOutput(); err != nil {
			return 0, 0, fmt.Errorf("make the file: %w\n%s", err, said)
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return 0, 0, err
	}
	run, err := w.here(data)
	if err != nil {
		return 0, 0, err
	}
	var ours, others []float64
	for range rounds {
		told, err := peer.ask(w.kind + " " + name)
		if err != nil {
			return 0, 0, err
		}
		spent, err := strconv.ParseFloat(strings.TrimSpace(told), 64)
		if err != nil {
			return 0, 0, err
		}
		others = append(others, spent)
		var times []float64
		for end := seconds(1) + 0.2; seconds(1) < end; {
			begin := seconds(1)
			if err := run(); err != nil {
				return 0, 0, err
			}
			times = append(times, seconds(1)-begin)
		}
		ours = append(ours, middle(times))
	}
	return middle(ours), middle(others), nil
}

// middle returns the median of values, of which there is one at least.
func middle(values []float64) float64 {
	ordered := slices.Sorted(slices.Values(values))
	return ordered[len(ordered)/2]
}
