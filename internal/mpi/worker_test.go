package mpi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/mpi"
	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
)

// The variables that make this program a process of a run.
const (
	scenarioVariable = "UFORM_TEST_SCENARIO"
	reportsVariable  = "UFORM_TEST_REPORTS"
)

// scenarios are what a worker may do, by their names.
var scenarios map[string]func(*worker)

func init() {
	scenarios = map[string]func(*worker){
		"collectives": collectives,
		"late":        late, "gives up": givesUp, "gives up within": givesUpWithin, "leaves": leaves, "killed": killed,
		"nil pointer": nilPointer, "after another": afterAnother, "beside another": besideAnother, "misfit": nil,
		"training": training, "training badly": trainingBadly, "training to death": trainingToDeath, "training measured": trainingMeasured, "reducing measured": reducingMeasured,
		"which": which, "bits": bits,
		"disagrees on length": disagreesOnLength, "disagrees on call": disagreesOnCall, "disagrees with itself": disagreesWithItself,
	}
}

// report says what would be loaded, in builds that load libraries.
var report func()

func TestMain(m *testing.M) {
	if name := os.Getenv(scenarioVariable); name != "" {
		if real, behind := strings.CutSuffix(name, " behind another"); behind {
			standBefore(real)
			return
		}
		if name == "find" {
			report()
			return
		}
		work(scenarios[name])
		return
	}
	os.Exit(m.Run())
}

// worker is one process of a run, and what it reports.
type worker struct {
	*mpi.Run
	lines []string
}

func (w *worker) report(format string, values ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, values...))
	w.save()
}

// index is this process, before it has joined too.
func (w *worker) index() int {
	index, _, _ := mpi.Launched()
	return index
}

// save writes what was reported so far, because the launcher may end this process at any time.
func (w *worker) save() {
	content, err := json.Marshal(w.lines)
	if err == nil {
		path := filepath.Join(os.Getenv(reportsVariable), fmt.Sprint(w.index()))
		err = os.WriteFile(path+".new", content, 0o600)
		if err == nil {
			err = os.Rename(path+".new", path)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func work(scenario func(*worker)) {
	w := &worker{}
	w.save()
	if scenario == nil {
		misfit(w)
		return
	}
	if strings.HasPrefix(os.Getenv(scenarioVariable), "training") { // it joins by itself
		scenario(w)
		return
	}
	index, count, launched := mpi.Launched()
	if !launched {
		w.report("not launched")
		return
	}
	run, err := mpi.Join(index, count)
	if err != nil {
		w.report("join: %v", err)
		return
	}
	w.Run = run
	scenario(w)
	if err := run.Close(); err != nil {
		w.report("close: %v", err)
	}
}

// standBefore runs the scenario in another process, which has what the launcher gave this one.
func standBefore(scenario string) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), scenarioVariable+"="+scenario)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	_ = command.Run() // its reports are what counts
}

// launchIn is launch for a scenario that ends well, and answers the folder of the reports too.
func launchIn(t *testing.T, launcher mpitest.Launcher, count int, scenario string) (folder string, reports [][]string) {
	t.Helper()
	folder = t.TempDir()
	reports, said, err := launchTo(t, folder, launcher, count, scenario)
	require.NoError(t, err, "%q\n%s", reports, said)
	return folder, reports
}

// launch runs a scenario as count processes, and answers what each of them has reported.
func launch(t testing.TB, launcher mpitest.Launcher, count int, scenario string, arguments ...string) (reports [][]string, said string, err error) {
	t.Helper()
	return launchTo(t, t.TempDir(), launcher, count, scenario, arguments...)
}

func launchTo(t testing.TB, folder string, launcher mpitest.Launcher, count int, scenario string, arguments ...string) (reports [][]string, said string, err error) {
	t.Helper()
	said, err = launcher.Run(t, count, []string{scenarioVariable + "=" + scenario, reportsVariable + "=" + folder},
		append(arguments, "--", os.Args[0])...)
	for index := range count {
		content, err := os.ReadFile(filepath.Join(folder, fmt.Sprint(index)))
		require.NoError(t, err, said)
		var lines []string
		require.NoError(t, json.Unmarshal(content, &lines))
		reports = append(reports, lines)
	}
	return reports, said, err
}

func soon(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	_ = cancel // the process ends first
	return ctx
}
