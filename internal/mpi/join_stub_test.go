//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package mpi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/mpi"
)

// A build without a loader says so, to who has a launcher.
func TestUnsupported(t *testing.T) {
	t.Setenv("PMI_RANK", "0")
	t.Setenv("PMI_SIZE", "2")
	_, err := mpi.Join(0, 2)
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
