// Package model reads checkpoints and runs the reference architecture over texts. The page CHECKPOINT.md of the folder
// above is its specification.
package model
