//go:build unix

package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/traintest"
)

// told is a reducer that records when it is closed.
type told struct {
	train.Reducer
	closed *int
}

func (r told) Close() error {
	*r.closed++
	return r.Reducer.Close()
}

// A process that joined the others leaves them if its own start fails, also if its file is
// truncated meanwhile; otherwise they would wait.
func TestFailedStartsLeaveTheOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.safetensors")
	var joined func()
	closed := 0
	w := newWorldWith(t, &engine.Options{Reducer: func(int, int) (train.Reducer, error) {
		joined()
		return told{traintest.Processes(2)[0], &closed}, nil
	}}, hooks.Engine{})
	executor := w.owned()
	for name, test := range map[string]struct {
		file   []byte
		joined func()
		status abi.Status
	}{
		"a file of something else": {[]byte("something else"), func() {}, abi.StatusMalformed},
		"a file that vanishes":     {checkpoint(t, tiny()), func() { require.NoError(t, os.Truncate(path, 0)) }, abi.StatusIO},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, test.file, 0o600))
			joined, closed = test.joined, 0
			var id abi.Trainer
			var outcome abi.Outcome
			w.TrainerInit(&abi.TrainerInit{Trainer: &id, Executor: executor, Outcome: &outcome, Path: text(path), ProcessesCount: 2})
			requireFailure(t, &outcome, test.status, -1)
			require.Equal(t, 1, closed)
		})
	}
}
