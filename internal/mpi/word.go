package mpi

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// word is what one process says to another: what it is about to do, or that it leaves. Each hears
// the words of each in order.
type word struct {
	kind   kind
	call   uint64 // how many calls the process has finished
	length uint64 // of this call's slice
	// origin is the process that was the first to leave, and text why it did.
	origin uint32
	text   string
}

// kind is what a word is about: one of the calls, or a farewell.
type kind byte

const (
	reducing kind = 1 + iota
	gathering
	// failing is the farewell of a process that gives up, closing that of one that is done.
	failing
	closing
)

func (k kind) String() string {
	switch k {
	case reducing:
		return "AllReduce"
	case gathering:
		return "AllGather"
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// wordSize is the bytes of every word. They are few enough for MPI to send them at once, whether or
// not they are awaited.
const (
	wordSize = 256
	wordHead = 22
)

// encode writes the word, with as much of its text as there is room for.
func (w word) encode(to []byte) {
	text := w.text
	for room := wordSize - wordHead; len(text) > room; {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
	}
	to[0], to[1] = byte(w.kind), byte(len(text))
	binary.LittleEndian.PutUint64(to[2:], w.call)
	binary.LittleEndian.PutUint64(to[10:], w.length)
	binary.LittleEndian.PutUint32(to[18:], w.origin)
	copy(to[wordHead:], text)
}

// decode reads a word of this process's kin.
func decode(from []byte) word {
	return word{
		kind:   kind(from[0]),
		call:   binary.LittleEndian.Uint64(from[2:]),
		length: binary.LittleEndian.Uint64(from[10:]),
		origin: binary.LittleEndian.Uint32(from[18:]),
		text:   string(from[wordHead:][:min(int(from[1]), wordSize-wordHead)]),
	}
}

// doing is the word as a part of a message.
func (w word) doing() string {
	return fmt.Sprintf("call %d, %s of %d values", w.call+1, w.kind, w.length)
}
