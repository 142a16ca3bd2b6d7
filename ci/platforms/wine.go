//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The folder of Wine's programs in Debian.
const (
	wineLoader = "/usr/lib/wine/wine64"
	wineServer = "/usr/lib/wine/wineserver64"
)

// prefix returns Wine's prefix folder for a machine.
func (w *workshop) prefix() string { return filepath.Join(w.folder, "prefix") }

// startWine installs what Wine lacks, makes a new prefix, and returns the environment variables
// that every program there needs, and an overlay for the go command.
func (w *workshop) startWine() (variables []string, overlay string, err error) {
	install := exec.Command("bash", filepath.Join("ci", "wine", "install.sh"))
	install.Dir, install.Stderr = w.module, os.Stderr
	folder, err := install.Output()
	if err != nil {
		return nil, "", fmt.Errorf("%v: %w", install.Args, err)
	}
	w.wine = strings.TrimSpace(string(folder))
	variables = []string{
		"WINEPREFIX=" + w.prefix(), "WINEDLLPATH=" + filepath.Join(w.wine, "32"), "WINEDEBUG=-all", "WINELOADER=" + wineLoader,
	}
	w.stopWine()
	if err := os.RemoveAll(w.prefix()); err != nil {
		return nil, "", err
	}
	if err := os.Mkdir(w.prefix(), 0o700); err != nil {
		return nil, "", err
	}
	// A server that is started by itself makes a prefix without a 32-bit half, so a program makes
	// the prefix and the server is started afterwards. The server runs until it is stopped, and
	// Wine's services with it. The services keep the standard output of the first program open, and
	// its reader would wait for them, so that output is discarded.
	for _, command := range [][]string{
		{wineLoader, "wineboot", "-i"}, {wineServer, "-k"}, {wineServer, "-w"}, {wineServer, "-p"}, {wineLoader, "wineboot"},
	} {
		run := exec.Command("timeout", append([]string{"-k", "5", "180"}, command...)...)
		run.Env = slices.Concat(os.Environ(), variables)
		// -k fails if the server has already ended.
		if err := run.Run(); err != nil && command[1] != "-k" {
			return nil, "", fmt.Errorf("%v: %w", command, err)
		}
	}
	for half, folder := range map[string]string{"64.dll": "system32", "32.dll": "syswow64"} {
		library, err := os.ReadFile(filepath.Join(w.wine, half))
		if err == nil {
			err = os.WriteFile(filepath.Join(w.prefix(), "drive_c", "windows", folder, "bcryptprimitives.dll"), library, 0o755)
		}
		if err != nil {
			return nil, "", err
		}
	}
	overlay, err = w.overlay()
	return variables, overlay, err
}

// stopWine ends all processes of the prefix.
func (w *workshop) stopWine() {
	if _, err := os.Stat(w.prefix()); err != nil {
		return
	}
	stop := exec.Command(wineServer, "-k")
	stop.Env = append(os.Environ(), "WINEPREFIX="+w.prefix())
	if stop.Run() == nil {
		time.Sleep(time.Second)
	}
}

// overlay makes os.RemoveAll work on Wine 8. Its status for an unknown class of information,
// 0xC0000002, is not one that Go's standard library falls back on.
func (w *workshop) overlay() (string, error) {
	root, err := toolchain()
	if err != nil {
		return "", err
	}
	source := filepath.Join(root, "src", "internal", "syscall", "windows", "at_windows.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	const expected = "\tcase STATUS_INVALID_INFO_CLASS,"
	if bytes.Count(text, []byte(expected)) != 1 {
		return "", errors.New(source + " is not the one that is known")
	}
	changed := filepath.Join(w.folder, "at_windows.go")
	text = bytes.Replace(text, []byte(expected), []byte("\tcase NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,"), 1)
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return "", err
	}
	replacements, err := json.Marshal(map[string]map[string]string{"Replace": {source: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(w.folder, "overlay.json")
	return overlay, os.WriteFile(overlay, replacements, 0o600)
}
