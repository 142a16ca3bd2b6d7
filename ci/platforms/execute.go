//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/unum-cloud/uform-go/ci/testcount/count"
)

// The verdicts of the page's table.
const (
	executed = "executed"
	compiled = "compiled"
	not      = "not"
)

// verdict is the result of a platform.
type verdict struct{ engine, native string }

// workshop is the environment in which platforms are tried.
type workshop struct {
	// self is this program, module the folder of go.mod, folder a temporary folder and root an
	// empty folder in it, wine that of ci/wine/install.sh once it is needed, only a pattern of
	// tests.
	self, module, folder, root, wine, only string
	verbose                                bool
}

// execute runs the tests of a platform, or its example, and returns the result.
func (w *workshop) execute(p *platform) (verdict, string, error) {
	if missing := p.missing(); missing != "" {
		return verdict{}, "", fmt.Errorf("this machine lacks %s", missing)
	}
	environment := w.environment(p)
	if p.script != nil {
		return w.example(p, environment)
	}
	command, release, err := w.command(p, environment)
	defer release()
	if err != nil {
		return verdict{}, "", err
	}
	ran := map[string]bool{}
	var said, complained bytes.Buffer // separate, since both are written concurrently
	out := io.Writer(&said)
	if w.verbose {
		out = os.Stdout
	}
	command.Stderr = &complained
	counts, err := count.Run(command, out, func(event count.Event) {
		if parts := strings.Split(event.Test, "/"); len(parts) == 3 && parts[0] == "TestContract" && event.Action == "pass" {
			ran[parts[1]] = true
		}
	})
	if err != nil {
		os.Stdout.Write(said.Bytes())
		os.Stdout.Write(complained.Bytes())
	}
	how := fmt.Sprintf("%d tests passed, %d failed, %d skipped", counts.Passed, counts.Failed, counts.Skipped)
	switch {
	case err != nil || w.only != "":
	case !ran["engine"]:
		err = errors.New("the contract was not run on the engine")
	case ran["native"] == (p.without != ""):
		err = fmt.Errorf("the contract was run on a shared library: %t", ran["native"])
	}
	if p.without != "" {
		return verdict{executed, not}, how, err
	}
	return verdict{executed, executed}, how, err
}

// starts reports whether the kernel starts programs for a target by itself: a kernel built without
// 32-bit support starts none for 386.
func (w *workshop) starts(target string) (bool, error) {
	program := filepath.Join(w.folder, "probe")
	build := exec.Command("go", "build", "-o", program, "./ci/platforms/remotecc")
	build.Dir, build.Env = w.module, w.environment(&platform{target: target})
	if said, err := build.CombinedOutput(); err != nil {
		return false, fmt.Errorf("%w\n%s", err, said)
	}
	return !errors.Is(exec.Command(program).Run(), syscall.ENOEXEC), nil
}

// environment returns the environment of the go command and of the tests that it starts.
func (w *workshop) environment(p *platform) []string {
	goos, goarch, _ := strings.Cut(p.target, "/")
	environment := slices.Concat(os.Environ(), p.environment, []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"})
	if p.cgo {
		environment = append(environment, "CGO_ENABLED=1")
	}
	if p.toolchain != "" {
		environment = append(environment, "GOTOOLCHAIN="+p.toolchain)
	}
	return environment
}

// command returns the go test command for the platform, and a function to call afterwards.
func (w *workshop) command(p *platform, environment []string) (*exec.Cmd, func(), error) {
	release := func() {}
	environment = slices.Clone(environment)
	arguments := []string{"test", "-json", "-short", "-vet=off", "-timeout=900s", "-tags=" + p.tags, "-run=" + w.only}
	// A variable, so that a go command which a test starts does the same.
	if p.interpreter != "" {
		environment = append(environment, fmt.Sprintf("GOFLAGS=%s '-ldflags=-I %s'", os.Getenv("GOFLAGS"), p.interpreter))
	}
	if p.compiler != "" {
		served, remote, err := w.remoteCompiler(p, environment)
		if err != nil {
			return nil, release, err
		}
		release = func() { served.Close() }
		if p.wine {
			remote = "Z:" + strings.ReplaceAll(remote, "/", `\`)
		}
		environment = append(environment, "UFORM_COMPILER_ADDRESS="+served.Addr().String(), "UFORM_CC="+remote+" "+p.compiler)
	}
	if p.wine {
		variables, overlay, err := w.startWine()
		if err != nil {
			return nil, release, err
		}
		environment = append(environment, variables...)
		arguments = append(arguments, "-exec="+wineLoader, "-overlay="+overlay)
	}
	if p.root != nil {
		shown := slices.Concat(p.root, []string{w.module, os.TempDir()})
		arguments = append(arguments, fmt.Sprintf("-exec=%s rooted %s %s", w.self, w.root, strings.Join(shown, string(filepath.ListSeparator))))
		environment = append(environment, "XDG_CACHE_HOME="+filepath.Join(w.folder, "cache"))
	}
	command := append(append([]string{"go"}, arguments...), p.packages...)
	if p.emulator != "" {
		command = append([]string{w.self, "emulated", p.emulator}, command...)
	}
	started := exec.Command(command[0], command[1:]...)
	if p.emulator != "" {
		inNamespace(started)
	}
	started.Dir, started.Env = w.module, environment
	return started, release, nil
}

// remoteCompiler starts the server of a platform's compiler, and builds the program that asks it.
func (w *workshop) remoteCompiler(p *platform, environment []string) (*compilers, string, error) {
	drives := ""
	if p.wine {
		drives = filepath.Join(w.prefix(), "dosdevices")
	}
	remote := filepath.Join(w.folder, "remotecc.exe")
	build := exec.Command("go", "build", "-o", remote, "./ci/platforms/remotecc")
	build.Dir, build.Env = w.module, environment
	if said, err := build.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("%w\n%s", err, said)
	}
	served, err := serveCompiler(strings.Fields(p.compiler)[0], drives)
	return served, remote, err
}
