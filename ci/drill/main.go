// Drill rehearses the day when the official header comes: it changes a copy of abi/uform.h,
// generates, builds the engine and the C library against it, and runs the contract on both.
//
//	go run ./ci/drill               # the changes of all kinds at once
//	go run ./ci/drill -each         # every kind alone, then all at once
//	go run ./ci/drill -kinds order,widths -seed 7
//
// There are ten changes of each kind, and a run makes those of a kind together. A seeded generator
// derives them from the header as it is. Where a change needs a hand, the drill is the hand, and
// prints the list: in the sources of the C library, in the generator's counts, in abi/names.tsv,
// and in the engine's conversions. A change that needs a hand anywhere else fails the drill.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// each is the number of changes of a kind.
const each = 10

// kinds are the kinds of changes in the order in which they are made. Names change late, so that
// the others find theirs, and files are split last.
var kinds = []struct {
	name   string
	change func(*tree, *rand.Rand) (change, bool)
}{
	{"numbers", number}, {"order", order}, {"widths", width}, {"fields", field}, {"entry points", entryPoint},
	{"names", name}, {"files", file},
}

func main() {
	alone := flag.Bool("each", false, "run every kind alone before all of them together")
	chosen := flag.String("kinds", "", "the kinds to run together, with commas between them; empty is all")
	seed := flag.Uint64("seed", 1, "the seed of the changes")
	keep := flag.Bool("keep", false, "keep the folders")
	flag.Parse()
	var all []string
	for _, kind := range kinds {
		all = append(all, kind.name)
	}
	var runs [][]string
	switch {
	case *chosen != "":
		runs = [][]string{strings.Split(*chosen, ",")}
	case *alone:
		for _, kind := range all {
			runs = append(runs, []string{kind})
		}
		fallthrough
	default:
		runs = append(runs, all)
	}
	failed := false
	for _, run := range runs {
		fmt.Printf("=== %s\n", strings.Join(run, ", "))
		if err := drill(run, *seed, *keep); err != nil {
			fmt.Println("FAIL:", err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// drill makes the changes of some kinds in a copy of the repository, and runs the contract on it.
func drill(chosen []string, seed uint64, keep bool) error {
	folder, err := os.MkdirTemp("", "uform-drill-")
	if err != nil {
		return err
	}
	if keep {
		fmt.Println("folder:", folder)
	} else {
		defer os.RemoveAll(folder)
	}
	t, err := newTree(folder)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if !slices.Contains(chosen, kind.name) {
			continue
		}
		random := rand.New(rand.NewPCG(seed, uint64(len(kind.name))))
		made := 0
		for attempt := 0; made < each; attempt++ {
			if attempt == 100*each {
				return fmt.Errorf("%s: the header has room for %d changes, want %d", kind.name, made, each)
			}
			change, possible := kind.change(t, random)
			if !possible {
				continue
			}
			t.apply(change)
			made += max(change.ways, 1)
			fmt.Printf("%s %d: %s\n", kind.name, made, change.what)
		}
	}
	err = t.prove()
	fmt.Printf("%d places needed a hand:\n", len(t.hands))
	for _, hand := range t.hands {
		fmt.Println("  " + hand)
	}
	return err
}

// prove generates, builds and runs the contract.
func (t *tree) prove() error {
	if err := t.write(); err != nil {
		return err
	}
	if said, err := t.run("go", "run", "-C", "ci/abigen", ".", "-root", "../.."); err != nil {
		return fmt.Errorf("generate: %w\n%s", err, said)
	}
	if err := t.convert(); err != nil {
		return err
	}
	said, err := t.run("go", "test", "-short", "-count=1", "-run", "^TestContract$", "./internal/contract")
	if err != nil {
		return fmt.Errorf("the contract: %w\n%s", err, failures(said))
	}
	fmt.Println("the contract holds on the engine and on the C library")
	return nil
}

// failures returns the lines of a test's output that report failures.
func failures(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "--- FAIL") || strings.Contains(text, "Error") || strings.Contains(text, "panic") ||
			strings.Contains(text, "expected") || strings.Contains(text, "actual") || strings.Contains(text, ".go:") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[:min(len(lines), 120)], "")
}

// run runs a command in the copy. What the tests build goes into the copy, too, and not into the
// user's cache.
func (t *tree) run(name string, arguments ...string) (string, error) {
	command := exec.Command(name, arguments...)
	command.Dir = t.folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "XDG_CACHE_HOME="+filepath.Join(t.folder, ".cache"), "GOCACHE="+t.goCache)
	said, err := command.CombinedOutput()
	return string(said), err
}
