// Package mpitest starts the processes of a run for tests, with the MPI launchers that a machine
// has.
//
//	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
//		said, err := launcher.Run(t, 4, nil, "--", os.Args[0])
//	})
//
// The processes are mostly the test's own program, started again: its TestMain asks the environment
// whether it is to be one.
package mpitest
