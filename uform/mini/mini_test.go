package mini_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

func Example() {
	library, err := uform.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := mini.Load(context.Background(), library, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	vectors, err := model.Embed(context.Background(), []string{"hello"})
	fmt.Println(len(vectors), len(vectors[0]), err)
	// Output: 1 192 <nil>
}

func embed(t *testing.T, texts ...string) [][]float32 {
	t.Helper()
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	model, err := mini.Load(t.Context(), library, nil)
	require.NoError(t, err)
	defer model.Close()
	vectors, err := model.Embed(t.Context(), texts)
	require.NoError(t, err)
	return vectors
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Texts that share words are closer than texts that do not.
func TestSharedWordsAreClose(t *testing.T) {
	groups := [][]string{
		{"a cat sat on the mat", "the cat is on a mat", "A CAT SAT ON THE MAT!"},
		{"stock prices fell sharply today", "prices of stocks fell", "today the stock price falls"},
		{"the quick brown fox jumps", "a brown fox jumped quickly", "the quick fox jumps over"},
		{"how do I install the package", "installing a package", "package installation instructions"},
	}
	var texts []string
	var group []int
	for g, members := range groups {
		for _, text := range members {
			texts, group = append(texts, text), append(group, g)
		}
	}
	vectors := embed(t, texts...)
	for i := range texts {
		require.InDelta(t, 1, dot(vectors[i], vectors[i]), 1e-5)
		nearest := -1
		for j := range texts {
			if i != j && (nearest < 0 || dot(vectors[i], vectors[j]) > dot(vectors[i], vectors[nearest])) {
				nearest = j
			}
		}
		require.Equal(t, group[i], group[nearest], "%q is nearest to %q", texts[i], texts[nearest])
	}
}

// The file in the repository is what the program writes.
func TestTheProgramWritesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "again.safetensors")
	out, err := exec.Command("go", "run", "./makemini", path).CombinedOutput()
	require.NoError(t, err, string(out))
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, again, mini.Checkpoint())
}
