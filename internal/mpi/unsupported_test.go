package mpi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/mpi"
	"github.com/unum-cloud/uform-go/platform"
)

// A build without a loader says so, to who has a launcher.
func TestUnsupported(t *testing.T) {
	if platform.Native {
		t.Skip("this build has a loader")
	}
	t.Setenv("PMI_RANK", "0")
	t.Setenv("PMI_SIZE", "2")
	_, err := mpi.Join(0, 2)
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
