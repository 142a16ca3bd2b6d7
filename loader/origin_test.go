package loader_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/loader"
)

func TestOriginString(t *testing.T) {
	skipped := []loader.Candidate{
		{Path: "/a", Reason: &fs.PathError{Op: "stat", Path: "/a", Err: fs.ErrNotExist}},
		{Path: "/b", Reason: errors.New("found major version 3, want 4")},
	}
	for want, origin := range map[string]loader.Origin{
		"":               {},
		"embedded 4.0.0": {Kind: loader.KindEmbedded, Version: "4.0.0"},
		"embedded; skipped: /b: found major version 3, want 4":        {Kind: loader.KindEmbedded, Skipped: skipped},
		"native 4.0.0 /c; proven: version, arena; not proven: layout": {Kind: loader.KindNative, Version: "4.0.0", Path: "/c", Proven: []string{"version", "arena"}, Unproven: []string{"layout"}},
	} {
		require.Equal(t, want, origin.String())
	}
}

func TestEmbeddedOfOtherErrors(t *testing.T) {
	for _, err := range []error{nil, errors.New("something else")} {
		_, embedded := loader.Embedded(err)
		require.False(t, embedded)
	}
}
