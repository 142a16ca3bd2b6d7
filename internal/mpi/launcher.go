package mpi

import (
	"fmt"
	"os"
	"strconv"

	"github.com/unum-cloud/uform-go/errors"
)

// Variable is the environment variable that names the MPI library by its absolute path. It is
// ignored in a set-uid program.
const Variable = "UFORM_MPI"

// launcher is a kind of program that starts the processes of a run, by what it leaves in their
// environments.
type launcher struct {
	name         string
	index, count string // the variables
	// serves is the family of MPI that the processes it starts meet through.
	serves family
}

// family is whose launcher a library belongs to.
type family string

const (
	openMPI family = "Open MPI"
	mpich   family = "MPICH"
)

// launchers are looked for in this order: one of Open MPI may leave the variables of both.
var launchers = []launcher{
	{"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", openMPI},
	{"a launcher that speaks PMI, such as mpiexec of MPICH", "PMI_RANK", "PMI_SIZE", mpich},
}

// launch is what a launcher says to this process.
type launch struct {
	launcher
	place, total int
}

// launched reads the environment. The answer is nil where no launcher has started this process, and
// an error where one left what cannot be.
func launched() (*launch, error) {
	for _, l := range launchers {
		index, known := os.LookupEnv(l.index)
		count, counted := os.LookupEnv(l.count)
		if !known || !counted {
			continue
		}
		place, wrong := strconv.Atoi(index)
		total, worse := strconv.Atoi(count)
		if wrong != nil || worse != nil || place < 0 || place >= total {
			return nil, fmt.Errorf("the environment says %s=%q and %s=%q, which are not a process and how many there are: %w",
				l.index, index, l.count, count, errors.ErrInvalidArgument)
		}
		return &launch{l, place, total}, nil
	}
	return nil, nil
}

// Launched tells what an MPI launcher has said to this process: its index, from zero, and how many
// processes there are. Where none has started it, this is process 0 of 1, and ok is false. Nothing
// is loaded for it.
func Launched() (index, count int, ok bool) {
	found, err := launched()
	if err != nil || found == nil {
		return 0, 1, false
	}
	return found.place, found.total, true
}

// agree compares what the program says with what the launcher did.
func (l *launch) agree(index, count int) error {
	switch {
	case count < 1 || index < 0 || index >= count:
		return fmt.Errorf("there is no process %d of %d: %w", index, count, errors.ErrInvalidArgument)
	case l == nil:
		return fmt.Errorf("the program calls this process %d of %d, but no MPI launcher has started it: start it with mpirun -n %d: %w",
			index, count, count, errors.ErrInvalidArgument)
	case index != l.place || count != l.total:
		return fmt.Errorf("the program calls this process %d of %d, its launcher calls it %d of %d: %w",
			index, count, l.place, l.total, errors.ErrInvalidArgument)
	}
	return nil
}
