package uform

import "github.com/unum-cloud/uform-go/internal/mpi"

// Launched is which of how many processes this one is, as an MPI launcher such as mpirun reports
// it, or process 0 of 1 where none has: what [TrainerOptions] want of a program that may be started
// either way. The processes of the embedded engine meet through the launcher's MPI, which is loaded
// by the first [Library.NewTrainer] of a run of more than one; the environment variable UFORM_MPI
// names that library by its absolute path where it is not in the system's folders.
//
// MPI begins once in the life of a process: it ends when its last trainer of many processes is
// closed on every process, and none can be made after that. A program that ends without closing
// them has failed, as far as its launcher can tell.
func Launched() (process, processes int) {
	process, processes, _ = mpi.Launched()
	return process, processes
}
