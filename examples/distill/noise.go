package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/unum-cloud/uform-go/engine/train"
)

// noise is [train.Noise] as a flag.
type noise struct{ train.Noise }

// MarshalText implements [encoding.TextMarshaler].
func (n noise) MarshalText() ([]byte, error) {
	if n == (noise{}) {
		return []byte("0"), nil
	}
	return fmt.Appendf(nil, "typos=%v,case=%v,punctuation=%v", n.Typos, n.Case, n.Punctuation), nil
}

// UnmarshalText reads one share for all kinds, or shares by name: "0.1" or "typos=0.3,case=0.1".
func (n *noise) UnmarshalText(text []byte) error {
	*n = noise{}
	for part := range strings.SplitSeq(string(text), ",") {
		name, value, named := strings.Cut(part, "=")
		if !named {
			name, value = "", part
		}
		share, err := strconv.ParseFloat(value, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return fmt.Errorf("%q is not a share from 0 to 1", value)
		}
		switch name {
		case "":
			n.Noise = train.Noise{Typos: share, Case: share, Punctuation: share}
		case "typos":
			n.Typos = share
		case "case":
			n.Case = share
		case "punctuation":
			n.Punctuation = share
		default:
			return fmt.Errorf("%q is not typos, case or punctuation", name)
		}
	}
	return nil
}
