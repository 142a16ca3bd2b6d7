// Package mpi joins the processes of a training run through MPI.
//
//	index, count, launched := mpi.Launched()    // what mpirun gave this process
//	run, err := mpi.Join(index, count)          // loads and begins MPI
//	err = run.AllReduce(ctx, gradients)         // the sum over all processes, the same bits on each
//	err = run.Close()                           // the last one ends MPI
//
// MPI is a shared library that is loaded at run time: Open MPI, MPICH and its kin, or any that
// speaks MPI's standard ABI. Which one, is the launcher's to say, since a library only meets
// processes of its own launcher: what mpirun of Open MPI has started loads Open MPI, what hydra
// (MPICH) or another launcher that speaks PMI has started loads MPICH or its kin. It is looked for
// in the system's folders; the environment variable UFORM_MPI names one by its absolute path
// instead. Nothing is loaded before [Join], and a run of one process needs none of this.
//
// # Failure
//
// A call ends, whatever becomes of the others: all communication is nonblocking and tested against
// the call's context. Every call begins with a word from each process to each, about what it is
// about to do, so that processes that disagree hear of it instead of mixing their data up, and so
// that an error names who did not come. A process that gives up tells the others why, and their
// calls end at once. After its first error a run is broken for good, and every later call answers
// the same error, which wraps [errors.ErrPeer]. A process that was killed cannot tell: the launcher
// ends the others, or their calls end by their deadline.
//
// # The life of MPI
//
// A process can begin MPI once, and end it once. It begins with the first Join and ends when the
// last open run is closed on every process; [Join] fails after that. Who has one run after another
// opens the next before closing the last. The end of a process that has begun MPI and not ended it
// is a failure to the launcher, as it should be after a broken run, which MPI could not end without
// waiting for the dead.
package mpi
