//go:build unix

package nearest_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// A process that is killed while it saves leaves a complete index at the path: the old one or the
// new one.
func TestBeingKilledWhileSaving(t *testing.T) {
	const variable, columns, rows = "UFORM_NEAREST_SAVE", 64, 4000
	if path := os.Getenv(variable); path != "" {
		index := create(t, columns, uform.F32, nearest.Dot)
		for generation := uint64(0); ; generation++ {
			require.NoError(t, index.Replace(keysFrom(generation*rows, rows), vectors(rand.New(rand.NewPCG(1, 1)), rows, columns)))
			_, err := index.Delete(keysFrom((generation-1)*rows, rows))
			require.NoError(t, err)
			require.NoError(t, index.Save(t.Context(), path))
			_, err = os.Stdout.WriteString("saved\n")
			require.NoError(t, err)
		}
	}
	path := filepath.Join(t.TempDir(), "index")
	partial := 0
	for round := range 8 {
		command := exec.Command(os.Args[0], "-test.run=^TestBeingKilledWhileSaving$")
		command.Env = append(os.Environ(), variable+"="+path)
		printed, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		for lines := bufio.NewScanner(printed); lines.Scan() && !strings.Contains(lines.Text(), "saved"); {
		}
		time.Sleep(time.Duration(round) * 3 * time.Millisecond) // at some time during the next saves
		require.NoError(t, command.Process.Kill())
		_, err = command.Process.Wait()
		require.NoError(t, err)
		index, err := nearest.Open(path)
		require.NoError(t, err)
		require.Equal(t, rows, index.Len())
		require.NoError(t, index.Close())
		left, err := filepath.Glob(path + ".*.partial")
		require.NoError(t, err)
		partial += len(left)
		for _, name := range left {
			require.NoError(t, os.Remove(name))
		}
	}
	t.Logf("%d of 8 were killed within a save", partial)
}

// A mapped file that is cut short makes calls fail, and the process goes on.
func TestAFileThatIsCutShort(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 1))
	path := filepath.Join(t.TempDir(), "index")
	made := create(t, 64, uform.F32, nearest.Cosine)
	rows := vectors(random, 9000, 64)
	require.NoError(t, made.Add(keysFrom(0, len(rows)), rows))
	require.NoError(t, made.Save(t.Context(), path))
	index, err := nearest.Open(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 4096))
	for _, threads := range []int{1, 3} {
		_, err = index.Search(t.Context(), rows[0], 3, &nearest.SearchOptions{Threads: threads})
		require.ErrorIs(t, err, errors.ErrIO)
		require.ErrorContains(t, err, "truncated")
	}
	require.ErrorIs(t, index.Save(t.Context(), path+"2"), errors.ErrIO)
	left, err := filepath.Glob(path + "2*")
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = index.AppendTo(nil, 8999)
	require.ErrorIs(t, err, errors.ErrIO)
	_, err = index.Delete([]uint64{8999})
	require.ErrorIs(t, err, errors.ErrIO)
	require.ErrorIs(t, index.Add([]uint64{1 << 20}, rows[:1]), errors.ErrIO)
	require.NoError(t, index.Close())
	_, err = made.Search(t.Context(), rows[0], 3, nil)
	require.NoError(t, err, "another index")
}
