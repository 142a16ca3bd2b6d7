//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package mpi

// Find is the path of the library that this process would join a run with, which is loaded and not begun.
func Find() (string, error) {
	by, err := launched()
	if err != nil {
		return "", err
	}
	found, err := by.find()
	if err != nil {
		return "", err
	}
	return found.path, nil
}
