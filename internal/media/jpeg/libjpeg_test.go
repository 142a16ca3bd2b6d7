package jpeg_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Faults that were found: a restart at every block of a progressive file, a file without Huffman
// tables, and chroma finer than luma (cjpeg -quality 90 -sample 1x1,2x2,1x1). The sums are of what
// djpeg -dct int writes.
func TestFaults(t *testing.T) {
	for name, want := range map[string]struct {
		width, height int
		sum           string
	}{
		"progressive-restart-1B.jpg": {201, 147, "26fd9078b2bc94e0ed3afbc4c75d5bc54e8e9d3b23ca704400d0c94264806dca"},
		"nodht.jpg":                  {201, 147, "26fd9078b2bc94e0ed3afbc4c75d5bc54e8e9d3b23ca704400d0c94264806dca"},
		"above.jpg":                  {61, 41, "4921e86a97330874acb99c10d0dcc6d2bc328741917d75972ea4653fc64c3898"},
	} {
		file, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		im := decode(t, file)
		require.Equal(t, [2]int{want.width, want.height}, [2]int{im.width, im.height}, name)
		require.Equal(t, want.sum, fmt.Sprintf("%x", sha256.Sum256(im.rgb)), name)
	}
}

// scripts are ways to divide a picture into scans, as cjpeg reads them.
var scripts = map[string]string{
	"one":                "",
	"separate":           "0;\n1;\n2;\n",
	"two and one":        "0 2;\n1;\n",
	"one and two":        "1 2;\n0;\n",
	"spectral selection": "0: 0-0,0,0;\n1: 0-0,0,0;\n2: 0-0,0,0;\n0: 1-63,0,0;\n2: 1-9,0,0;\n1: 1-63,0,0;\n2: 10-63,0,0;\n",
	"approximation": "0,1,2: 0-0,0,1;\n0: 1-5,0,2;\n2: 1-63,0,1;\n1: 1-63,0,1;\n0: 6-63,0,2;\n" +
		"0: 1-63,2,1;\n0,1,2: 0-0,1,0;\n2: 1-63,1,0;\n1: 1-63,1,0;\n0: 1-63,1,0;\n",
}

// Every division into scans, with restarts of every kind, at every sampling: what libjpeg decodes,
// to the last bit.
func TestLikeLibjpeg(t *testing.T) {
	for _, program := range []string{"cjpeg", "djpeg"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s (Debian: libjpeg-turbo-progs)", program)
		}
	}
	samplings := []string{
		"1x1", "2x1", "2x2", "1x2", "4x1", "4x2", "2x4", "3x1", "1x3", "2x1,2x1,1x1", "1x1,2x2,1x1", "2x2,2x1,1x2", "gray",
	}
	restarts := []string{"", "1B", "2B", "5B", "1", "2"}
	if testing.Short() {
		samplings, restarts = samplings[:3], restarts[:2]
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i, sampling := range samplings {
		picture := scene(random, 33+random.IntN(40), 17+random.IntN(40))
		for division, script := range scripts {
			if sampling == "gray" && script != "" && division != "approximation" {
				continue // the script names components that a gray picture does not have
			}
			t.Run(sampling+"/"+division, func(t *testing.T) {
				var golden []byte
				for _, restart := range restarts {
					options := []string{"-dct", "int", "-quality", fmt.Sprint(40 + 4*i)}
					switch {
					case sampling != "gray":
						options = append(options, "-sample", sampling)
						if script != "" {
							path := filepath.Join(t.TempDir(), "scans")
							require.NoError(t, os.WriteFile(path, []byte(script), 0o600))
							options = append(options, "-scans", path)
						}
					case division == "approximation":
						options = append(options, "-grayscale", "-progressive")
					default:
						options = append(options, "-grayscale")
					}
					if restart != "" {
						options = append(options, "-restart", restart)
					}
					file := run(t, picture, "cjpeg", options...)
					if golden == nil { // restarts change no pixel
						golden = run(t, file, "djpeg", "-dct", "int", "-rgb", "-pnm")
					}
					im := decode(t, file)
					head := fmt.Sprintf("P6\n%d %d\n255\n", im.width, im.height)
					require.True(t, bytes.Equal(golden, append([]byte(head), im.rgb...)), "restart %q", restart)
				}
			})
		}
	}
}

// scene returns a picture of noise over edges of pure colours, as PPM.
func scene(random *rand.Rand, width, height int) []byte {
	picture := fmt.Appendf(nil, "P6\n%d %d\n255\n", width, height)
	for y := range height {
		for x := range width {
			edge := (x/7 + y/5) % 2 * 200
			for _, v := range []int{edge, 255 * x / width, 200 - edge} {
				picture = append(picture, byte(min(max(v+random.IntN(40)-20, 0), 255)))
			}
		}
	}
	return picture
}

// run returns what a program writes.
func run(t testing.TB, input []byte, name string, arguments ...string) []byte {
	command := exec.Command(name, arguments...)
	command.Stdin = bytes.NewReader(input)
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.Output()
	require.NoError(t, err, "%s %v: %s", name, arguments, &said)
	return output
}
