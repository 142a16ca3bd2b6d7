//go:build linux

package main

import (
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// targets returns all targets of this Go toolchain, by go tool dist.
func targets() ([]string, error) {
	said, err := exec.Command("go", "tool", "dist", "list").Output()
	return strings.Fields(string(said)), err
}

// onlyCompiled returns the targets that no platform executes.
func onlyCompiled(all []platform) ([]string, error) {
	known, err := targets()
	return slices.DeleteFunc(known, func(target string) bool {
		return slices.ContainsFunc(all, func(p platform) bool { return p.target == target && !p.trial })
	}), err
}

// externallyLinked are the targets whose programs Go cannot link without a C toolchain. For them
// packages are built, and no program.
var externallyLinked = []string{"android/386", "android/amd64", "android/arm", "ios/amd64", "ios/arm64"}

// compile builds an example, and so the library, without cgo, both with and without a loader of
// shared libraries.
func (w *workshop) compile(target string) (verdict, error) {
	native, err := w.native(target)
	if err != nil {
		return verdict{}, err
	}
	tags := []string{""}
	v := verdict{compiled, not}
	if native {
		tags, v.native = append(tags, "uform_static"), compiled
	}
	what := "./examples/encode"
	if slices.Contains(externallyLinked, target) {
		what = "./uform/mini"
	}
	goos, goarch, _ := strings.Cut(target, "/")
	for _, tag := range tags {
		command := exec.Command("go", "build", "-tags="+tag, "-o", os.DevNull, what)
		command.Dir = w.module
		command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		if said, err := command.CombinedOutput(); err != nil {
			return verdict{}, fmt.Errorf("tags %q: %w\n%s", tag, err, said)
		}
	}
	return v, nil
}

// native tells whether a program for the target, built without cgo, loads shared libraries: whether
// systems.go is part of it.
func (w *workshop) native(target string) (bool, error) {
	context := build.Default
	context.CgoEnabled = false
	context.GOOS, context.GOARCH, _ = strings.Cut(target, "/")
	return context.MatchFile(filepath.Join(w.module, "internal", "native"), "systems.go")
}
