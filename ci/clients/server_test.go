// Package clients_test asks "uform serve" by the clients that people have: OpenAI's and Ollama's in
// Go, and langchaingo. openai.py does it by OpenAI's in Python.
package clients_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const key = "a key for tests"

// program builds the program once.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "uform-clients")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "uform")
	build := exec.Command("go", "build", "-C", "../../cmd/uform", "-o", path, ".")
	build.Stderr = os.Stderr
	return path, build.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, _ := program(); path != "" {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// serve starts the program with flags and returns its address. It ends with the test.
func serve(t *testing.T, flags ...string) string {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	command := exec.Command(path, append([]string{"serve", "--listen", "127.0.0.1:0", "--model", "words", "--model", "senses"}, flags...)...)
	command.Env = append(os.Environ(), "UFORM_KEY="+key)
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	reader := bufio.NewReader(stderr)
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	_, address, found := strings.Cut(strings.TrimSpace(line), " on ")
	require.True(t, found, line)
	t.Cleanup(func() {
		require.NoError(t, command.Process.Signal(syscall.SIGTERM))
		line, _ := reader.ReadString('\n')
		require.Contains(t, line, "uform: ended")
		require.NoError(t, command.Wait())
	})
	return address
}

var texts = []string{"a man is playing the guitar", "someone makes music", "prices are falling"}

// similarities checks that the first text is nearer to the second than to the third.
func similarities[Float float32 | float64](t *testing.T, vectors [][]Float) {
	t.Helper()
	require.Len(t, vectors, 3)
	product := func(a, b []Float) (sum Float) {
		require.Len(t, b, len(a))
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	require.InDelta(t, 1, float64(product(vectors[0], vectors[0])), 1e-5)
	require.Greater(t, product(vectors[0], vectors[1]), product(vectors[0], vectors[2])+0.2)
}

// cancelled is a context that has ended.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
