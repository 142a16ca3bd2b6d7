package uform_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The loop that README shows compiles as it stands there, and runs.
func TestREADMEsLoopRuns(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found)
	loop, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	require.LessOrEqual(t, strings.Count(loop[strings.Index(loop, "for "):], "\n"), 10, "the loop in ten lines")

	root, err := filepath.Abs("..")
	require.NoError(t, err)
	folder, err := os.MkdirTemp(root, "readme-loop-")
	require.NoError(t, err)
	defer os.RemoveAll(folder)
	program := fmt.Sprintf(readmeProgram, loop)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o600))

	run := exec.Command("go", "run", ".")
	run.Dir = folder
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "first second third\n", string(out))
}

// readmeProgram is a program around the loop that gives it what it takes for granted.
const readmeProgram = `package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

type vectors map[string][]float32

func (v vectors) Add(key string, vector []float32) { v[key] = vector }

func main() {
	if err := run(); err != nil {
		panic(err)
	}
}

func run() error {
	ctx := context.Background()
	keys := []string{"first", "second", "third"}
	batches := [][]string{{"a cat", "a dog", "a house"}}
	index := vectors{}
%s
	if err != nil {
		return err
	}
	for _, key := range keys {
		if len(index[key]) != 384 {
			panic(key)
		}
	}
	fmt.Println(keys[0], keys[1], keys[2])
	return nil
}
`
