//go:build linux

// Command platforms runs the tests on every platform that this machine can run or emulate, compiles
// the library for every other one that Go knows, and prints a line for each: executed, compiled or
// not, and why. All of them together are the page's table.
//
//	bash ci/platforms.sh                     # all but trials, compared with docs/platforms.md
//	bash ci/platforms.sh -write              # the same; docs/platforms.md gets it
//	bash ci/platforms.sh linux/arm compiled  # some of them, compared with docs/platforms.md
//	bash ci/platforms.sh -short              # what runs before every change lands: short.go
//
// It changes only the build cache, Wine's folder and a temporary folder: emulators are registered
// with the kernel, and roots are made, in namespaces of their own. That requires Linux 6.7 and the
// superuser. The programs come from ci/install.sh, Wine from ci/wine/install.sh.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var err error
	switch arguments := os.Args[1:]; {
	case len(arguments) > 2 && arguments[0] == "emulated":
		err = emulated(arguments[1], arguments[2:])
	case len(arguments) > 3 && arguments[0] == "rooted":
		err = rooted(arguments[1], arguments[2], arguments[3:])
	default:
		err = run(arguments)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(1)
	}
}

// theRest selects the targets that are only compiled.
const theRest = "compiled"

func run(arguments []string) error {
	flags := flag.NewFlagSet("platforms", flag.ContinueOnError)
	write := flags.Bool("write", false, "write the table into docs/platforms.md instead of comparing it")
	brief := flags.Bool("short", false, "only what runs before every change lands")
	verbose := flags.Bool("v", false, "print what each package took")
	only := flags.String("run", "", "run the tests that match a `pattern` alone, as go test has it")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	part := *brief || *only != "" || flags.NArg() > 0
	if *write && part {
		return errors.New("-write takes all platforms and all tests")
	}
	all := platforms()
	rest, err := onlyCompiled(all)
	if err != nil {
		return err
	}
	if *brief {
		all, rest = shortened(all), shortTargets
	}
	selected, err := choose(all, flags.Args())
	if err != nil {
		return err
	}
	w, err := newWorkshop(*only, *verbose)
	if err != nil {
		return err
	}
	defer os.RemoveAll(w.folder)
	defer w.stopWine()
	page := filepath.Join(w.module, "docs", "platforms.md")

	var rows []row
	var failed []string
	report := func(name string, v verdict, how string, took time.Duration, err error) {
		if err != nil {
			failed = append(failed, name)
			v, how = verdict{not, not}, strings.TrimSpace(how+" "+err.Error())
		}
		fmt.Printf("%-16s engine %-9s library %-9s %4.0fs  %s\n", name, v.engine, v.native, took.Seconds(), how)
	}
	for _, p := range all {
		if !slices.Contains(selected, p.name) {
			continue
		}
		start := time.Now()
		if p.probe != "" {
			started, err := w.starts(p.probe)
			if err != nil {
				return err
			}
			if !started {
				stands, err := readTable(page)
				if err != nil {
					return err
				}
				fmt.Printf("%-16s NOT RUN: this kernel starts no programs for %s; the page stands as it is\n", p.name, p.probe)
				if i := slices.IndexFunc(stands, func(r row) bool { return r.name == p.label() }); i >= 0 {
					rows = append(rows, stands[i])
				}
				continue
			}
		}
		v, how, err := w.execute(&p)
		report(p.name, v, how, time.Since(start), err)
		if !p.trial {
			rows = append(rows, row{p.label(), p.by, v})
		}
	}
	compiled := map[verdict][]string{}
	if slices.Contains(selected, theRest) {
		for _, target := range rest {
			start := time.Now()
			v, err := w.compile(target)
			report(target, v, "", time.Since(start), err)
			compiled[v] = append(compiled[v], target)
		}
	}
	if failed != nil {
		return errors.New("failed: " + strings.Join(failed, ", "))
	}
	switch {
	case *only != "":
		return nil // the result of the other tests is unknown
	case part:
		return compare(page, rows, compiled)
	}
	return settle(page, table(rows, compiled), *write)
}

// choose returns the platforms that were named, or all except trials if none was.
func choose(all []platform, asked []string) ([]string, error) {
	known, usual := []string{theRest}, []string{theRest}
	for _, p := range all {
		known = append(known, p.name)
		if !p.trial {
			usual = append(usual, p.name)
		}
	}
	for _, name := range asked {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no platform %q, but %s", name, strings.Join(known, " "))
		}
	}
	if len(asked) == 0 {
		return usual, nil
	}
	return asked, nil
}

func newWorkshop(only string, verbose bool) (*workshop, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	module, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "uform-platforms-")
	if err != nil {
		return nil, err
	}
	w := &workshop{self: self, module: module, folder: folder, root: filepath.Join(folder, "root"), only: only, verbose: verbose}
	return w, os.Mkdir(w.root, 0o755)
}
