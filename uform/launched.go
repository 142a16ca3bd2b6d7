package uform

import "github.com/unum-cloud/uform-go/internal/mpi"

// Launched returns the index of this process and the number of processes, as an MPI launcher such
// as mpirun reports them, or 0 and 1 if none started the program. Set them as Process and Processes
// of [TrainerOptions], and a program works with a launcher and without one.
//
// The processes of the embedded engine communicate through the launcher's MPI. The first
// [Library.NewTrainer] of a run of more than one process loads its library from the system's
// folders, or from the absolute path that the environment variable UFORM_MPI names.
//
// MPI can be started only once in a process. It ends when the last trainer of several processes is
// closed on every process; no such trainer can be made after that. A launcher reports a program
// that ends without closing its trainers as failed.
func Launched() (process, processes int) {
	process, processes, _ = mpi.Launched()
	return process, processes
}
