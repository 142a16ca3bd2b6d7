// Package senses gathers pictures and sounds to train a model on, without photographs or recordings
// of people: emoji in two styles, with their names, from npm, and words spoken by the voices of
// espeak-ng, from Debian.
package senses
