package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"

	"github.com/unum-cloud/uform-go/ci/bench/onnx"
	"github.com/unum-cloud/uform-go/uform"
)

// held is the encoder whose memory is measured.
var held = shape{12, 384}

// memories runs that encoder in processes of their own, from a file, and returns the peak memory of
// each as text.
func memories(ort string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	var said []string
	for _, way := range []struct{ title, name string }{{"the engine", "ours"}, {"ONNX Runtime", "onnx"}} {
		peak, err := exec.Command(self, "-memory", way.name, "-ort", ort).Output()
		if err != nil {
			return "", fmt.Errorf("run %s: %w", way.name, err)
		}
		said = append(said, way.title+" "+strings.TrimSpace(string(peak)))
	}
	return strings.Join(said, ", "), nil
}

// hold runs the encoder once, and prints the process's peak memory minus what it had after its
// weights were drawn and stored.
func hold(name, ort string) error {
	weights, file, err := held.checkpoint()
	if err != nil {
		return err
	}
	if name == "onnx" {
		file = onnx.Graph(held.config(), weights, longest, false)
	}
	path, err := os.CreateTemp("", "uform-bench-")
	if err != nil {
		return err
	}
	defer os.Remove(path.Name())
	if _, err := path.Write(file); err != nil {
		return err
	}
	if err := path.Close(); err != nil {
		return err
	}
	weights, file = nil, nil
	before, err := forget()
	if err != nil {
		return err
	}
	texts := batch(16, 128, false)
	if name == "onnx" {
		err = holdONNX(path.Name(), ort, texts)
	} else {
		err = holdOwn(path.Name(), texts)
	}
	if err != nil {
		return err
	}
	after, err := status("VmHWM:")
	fmt.Printf("%d MB\n", (after-before)>>10)
	return err
}

func holdOwn(path string, texts []string) error {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return err
	}
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
	if err != nil {
		return err
	}
	arena, err := library.NewArena(executor)
	if err != nil {
		return err
	}
	model, err := library.Load(ctx, path, nil)
	if err != nil {
		return err
	}
	_, err = model.On(executor).TextEncode(ctx, uform.Strings(texts), arena, nil)
	return err
}

func holdONNX(path, ort string, texts []string) error {
	library, err := onnx.Open(ort)
	if err != nil {
		return err
	}
	session, err := library.NewSessionOf(path, 1, false)
	if err != nil {
		return err
	}
	return session.Run(onnx.Pad(texts), make([]float32, len(texts)*held.width))
}

// forget returns unused memory to the system, begins the process's peak anew, and returns what it
// has, in KiB.
func forget() (kilobytes int, err error) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, err
	}
	return status("VmRSS:")
}

// status returns a line of /proc/self/status, in KiB.
func status(name string) (kilobytes int, err error) {
	told, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, found := bytes.Cut(told, []byte(name))
	if !found {
		return 0, fmt.Errorf("the kernel reports no %s", name)
	}
	_, err = fmt.Sscan(string(rest), &kilobytes)
	return kilobytes, err
}
