// Package senses gathers what a model can learn to see and to hear without photographs or recordings of people: emoji in two
// styles, with their names, from npm, and words spoken by the voices of espeak-ng, from Debian.
package senses
