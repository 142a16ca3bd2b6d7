// Package modeltest draws random checkpoints, so that tests of every implementation of the
// architecture cover every part of it.
//
//	config := modeltest.Config(random)
//	file, err := modeltest.Checkpoint(random, config)
package modeltest
