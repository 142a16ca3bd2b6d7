package contract_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// V13 and V15 in a run of two processes. The tests of the facts have both in this program, each
// with its own executor and goroutines: they share only the reduction. TestTwoPrograms has two
// programs.

// alone returns why an implementation has no runs of two processes here, empty if it has.
func (on *implementation) alone() string {
	if on.name != embedded && runtime.GOOS == "windows" {
		return "n/a in two processes: the C library has none on Windows"
	}
	return ""
}

// rendezvous is the address where the processes of a run meet. The embedded engine needs none.
func (on *implementation) rendezvous(t require.TestingT) string {
	if on.name == embedded {
		return ""
	}
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listening.Close()
	return listening.Addr().String()
}

// together runs a function for both processes of a run at once. A process that fails ends the test
// when both have returned.
func together(process func(i int)) {
	var group sync.WaitGroup
	for i := range 2 {
		group.Go(func() { process(i) })
	}
	group.Wait()
}

// run starts both processes of a run.
func (s *seam) run(path string) (run [2]bout) {
	s.Helper()
	where := s.rendezvous(s)
	for i := range run {
		run[i].executor = s.executor()
		run[i].arena = s.arena(run[i].executor)
	}
	together(func(i int) { run[i].trainer = s.join(run[i].executor, path, where, i, 2) })
	return run
}

// stepBoth makes a step of a run, which may fail.
func (s *seam) stepBoth(steps [2]*stepping) {
	together(func(i int) { s.table.TrainerStep(&steps[i].TrainerStep) })
}

func processesLearn(s *seam) {
	if reason := s.alone(); reason != "" {
		s.Log(reason)
		return
	}
	run, one := s.run(full().path(s.T)), s.bout(full())
	for step := range 3 {
		whole, part := one.step(pairs...), [2]*stepping{run[0].step(pairs[:2]...), run[1].step(pairs[2:]...)}
		s.steps(whole)
		s.stepBoth(part)
		for i, e := range part {
			s.succeeded(&e.outcome)
			require.EqualValues(s, step+1, e.stats.Step)
			require.EqualValues(s, len(pairs), e.stats.Items, "the items of both")
			require.InDelta(s, whole.stats.Loss, e.stats.Loss, 1e-4, "an item competes with those of both")
			require.InEpsilon(s, whole.stats.GradientNorm, e.stats.GradientNorm, 1e-3, "gradients are summed")
			// Each process gets the rows of its own items.
			columns := int(e.embeddings.Columns)
			rows := slices.Collect(slices.Chunk(s.embedded(whole), columns))
			rows = [][][]float32{rows[:2], rows[2:]}[i]
			near(s.T, slices.Concat(rows...), s.embedded(e), 1e-4, "embeddings of process %d", i)
		}
		require.Equal(s, part[0].stats, part[1].stats)
	}
	// Groups are those of the run: these match across processes.
	whole, part := one.step(pairs...), [2]*stepping{run[0].step(pairs[0], pairs[2], pairs[4]), run[1].step(pairs[1], pairs[3], pairs[5])}
	for _, e := range part {
		e.Groups = &[]uint32{7, 8, 9}[0]
	}
	s.steps(whole)
	s.stepBoth(part)
	for _, e := range part {
		s.succeeded(&e.outcome)
		require.InDelta(s, whole.stats.Loss, e.stats.Loss, 1e-4)
	}
	// An invalid item of one process ends the step of both, and changes nothing.
	part = [2]*stepping{run[0].step("a", "b\xFF"), run[1].step(pairs...)}
	s.stepBoth(part)
	s.failed(&part[0].outcome, abi.StatusMalformed, 1)
	s.failed(&part[1].outcome, abi.StatusPeer, -1)
	part = [2]*stepping{run[0].step(pairs...), run[1].step()}
	s.stepBoth(part)
	for _, e := range part {
		s.succeeded(&e.outcome)
		require.EqualValues(s, 5, e.stats.Step)
		require.EqualValues(s, len(pairs), e.stats.Items)
	}
	// The other process gets an error.
	s.table.TrainerFree(run[0].trainer)
	left := run[1].step(pairs...)
	s.table.TrainerStep(&left.TrainerStep)
	s.failed(&left.outcome, abi.StatusPeer, -1)
}

func oneProcessSaves(s *seam) {
	if reason := s.alone(); reason != "" {
		s.Log(reason)
		return
	}
	run := s.run(packed().path(s.T))
	part := [2]*stepping{run[0].step(pairs[:2]...), run[1].step(pairs[2:]...)}
	s.stepBoth(part)
	folder := s.TempDir()
	paths := [2]string{filepath.Join(folder, "zero"), filepath.Join(folder, "one")}
	s.save(run[1], paths[1]) // at once, also if process zero does not save
	s.save(run[1], filepath.Join(folder, "nowhere", "at", "all"))
	entries, err := os.ReadDir(folder)
	require.NoError(s, err)
	require.Empty(s, entries, "only process zero writes")
	s.save(run[0], paths[0])
	require.FileExists(s, paths[0])
	require.NoFileExists(s, paths[1])
	// The run goes on from the file, in two processes or in one.
	again, one := s.run(paths[0]), bout{executor: s.executor()}
	one.trainer = s.train(one.executor, paths[0])
	one.arena = s.arena(one.executor)
	want, got := [2]*stepping{run[0].step(pairs[:2]...), run[1].step(pairs[2:]...)}, [2]*stepping{again[0].step(pairs[:2]...), again[1].step(pairs[2:]...)}
	s.stepBoth(want)
	s.stepBoth(got)
	whole := s.steps(one.step(pairs...))
	for i := range got {
		s.succeeded(&want[i].outcome)
		s.succeeded(&got[i].outcome)
		require.EqualValues(s, 2, got[i].stats.Step)
		require.InDelta(s, want[i].stats.Loss, got[i].stats.Loss, 1e-6)
		require.InDelta(s, whole.stats.Loss, got[i].stats.Loss, 1e-4)
	}
}

// runBoth starts both processes of a run.
func (u *user) runBoth(path string) (run [2]*uform.Trainer, executors [2]*uform.Executor) {
	u.Helper()
	where := u.rendezvous(u)
	for i := range executors {
		executors[i] = u.executor()
	}
	var failures [2]error
	together(func(i int) {
		run[i], failures[i] = u.library.NewTrainer(background, path, executors[i], &uform.TrainerOptions{Process: i, Processes: 2, Rendezvous: where})
	})
	for i := range run {
		require.NoError(u, failures[i])
		u.Cleanup(func() { run[i].Close() })
	}
	return run, executors
}

func processesLearnForTheUser(u *user) {
	if reason := u.alone(); reason != "" {
		u.Log(reason)
		return
	}
	run, executors := u.runBoth(full().path(u.T))
	one, executor := u.run(full())
	want, err := one.On(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
	require.NoError(u, err)
	parts := [2]uform.Tape{uform.Strings(pairs[:2]), uform.Strings(pairs[2:])}
	var got [2]uform.Stepped
	var failures [2]error
	step := func() {
		together(func(i int) {
			got[i], failures[i] = run[i].On(executors[i]).Step(background, uform.Examples{Contents: parts[i]}, nil, nil)
		})
	}
	step()
	for i := range got {
		require.NoError(u, failures[i])
		require.EqualValues(u, 1, got[i].Step)
		require.EqualValues(u, len(pairs), got[i].Items)
		require.InDelta(u, want.Loss, got[i].Loss, 1e-4)
	}
	parts[1] = uform.Strings([]string{"a", "b\xFF"})
	step()
	require.ErrorIs(u, failures[0], uform.ErrPeer)
	require.ErrorIs(u, failures[1], uform.ErrMalformed)
	parts[1] = uform.Strings(pairs[2:])
	step()
	for i := range got {
		require.NoError(u, failures[i])
		require.EqualValues(u, 2, got[i].Step)
	}
}

func oneProcessSavesForTheUser(u *user) {
	if reason := u.alone(); reason != "" {
		u.Log(reason)
		return
	}
	run, executors := u.runBoth(full().path(u.T))
	path := filepath.Join(u.TempDir(), "run.safetensors")
	require.NoError(u, run[1].On(executors[1]).Save(background, path, nil))
	saved, err := run[1].Deferred(executors[1]).Save(background, path, nil)
	require.NoError(u, err)
	_, err = saved.Wait(background)
	require.NoError(u, err)
	require.NoFileExists(u, path, "only process zero writes")
	require.NoError(u, run[0].On(executors[0]).Save(background, path, nil))
	require.FileExists(u, path)
}

// secondOf, if set, makes TestSecondProcess one process of a run of two programs: an
// implementation, a rendezvous and a checkpoint.
const secondOf = "UFORM_TEST_SECOND_OF"

// TestTwoPrograms is a run of two processes of the system. For the embedded engine that needs an
// MPI launcher: package internal/mpi tests it.
func TestTwoPrograms(t *testing.T) {
	for _, opener := range openers {
		t.Run(opener.name, func(t *testing.T) {
			on, missing := opener.open(t)
			if opener.name == embedded {
				missing = "its processes meet through MPI"
			} else if on != nil {
				on.name = opener.name
				missing = on.alone()
			}
			if missing != "" {
				t.Log("not run: " + missing)
				return
			}
			u := &user{T: t, implementation: on}
			where, path := u.rendezvous(t), full().path(t)
			child := exec.Command(os.Args[0], "-test.run", "^TestSecondProcess$", "-test.v")
			child.Env = append(os.Environ(), secondOf+"="+strings.Join([]string{on.name, where, path}, "="))
			var said bytes.Buffer
			child.Stdout, child.Stderr = &said, &said
			require.NoError(t, child.Start())
			stepped := u.halfOfRun(0, where, path)
			require.NoError(t, child.Wait(), said.String())
			require.EqualValues(t, len(pairs), stepped.Items)
			require.InDelta(t, full().contrast(pairs), stepped.Loss, 1e-3)
			require.Contains(t, said.String(), fmt.Sprint("loss ", stepped.Loss), "the same bits in both")
			require.FileExists(t, path+".0")
			require.NoFileExists(t, path+".1", "only process zero writes")
		})
	}
}

// TestSecondProcess is process one of TestTwoPrograms, which starts it.
func TestSecondProcess(t *testing.T) {
	parts := strings.SplitN(os.Getenv(secondOf), "=", 3)
	for _, opener := range openers {
		if len(parts) != 3 || opener.name != parts[0] {
			continue
		}
		on, missing := opener.open(t)
		require.Empty(t, missing)
		on.name = opener.name
		stepped := (&user{T: t, implementation: on}).halfOfRun(1, parts[1], parts[2])
		fmt.Println("loss", stepped.Loss)
	}
}

// halfOfRun is a process of two: it makes a step and saves.
func (u *user) halfOfRun(process int, rendezvous, path string) uform.Stepped {
	u.Helper()
	executor := u.executor()
	trainer, err := u.library.NewTrainer(background, path, executor, &uform.TrainerOptions{Process: process, Processes: 2, Rendezvous: rendezvous})
	require.NoError(u, err)
	u.Cleanup(func() { trainer.Close() })
	texts := [2][]string{pairs[:2], pairs[2:]}[process]
	stepped, err := trainer.On(executor).Step(background, uform.Examples{Contents: uform.Strings(texts)}, nil, nil)
	require.NoError(u, err)
	require.NoError(u, trainer.On(executor).Save(background, fmt.Sprint(path, ".", process), nil))
	return stepped
}
