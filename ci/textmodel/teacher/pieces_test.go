package teacher_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/ci/textmodel/teacher"
)

func TestCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vocab.json")
	// Six reserved pieces, then: 6 ▁ab, 7 a, 8 b, 9 ▁, 10 c with no score.
	require.NoError(t, os.WriteFile(path, []byte(`[["?",0],["",0],["",0],["",0],["",0],["",0],
		["▁ab",-3],["a",-1.5],["b",-2],["▁",-1],["c",null]]`), 0o600))
	for text, want := range map[string][]int32{
		"":          nil,
		"ab":        {6},       // −3 beats −1 −1.5 −2
		"a":         {9, 7},    // no piece holds both
		"ab a":      {6, 9, 7}, // a space is a piece of its own, or a part of one
		"xy":        {9, 0},    // a run without pieces is one unknown piece, of any length
		"xay":       {9, 0, 7, 0},
		"ac":        {9, 7, 10},
		"ａｂ":        {6}, // wide letters are letters
		"aa\u00a0b": {9, 7, 7, 9, 8},
	} {
		got, err := teacher.Cut(path, text)
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", text)
	}
}
