package folder_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/folder"
)

func TestScratchOpen(t *testing.T) {
	at := time.Now()
	m, err := folder.Open(folder.Files(os.DirFS("/tmp/models/all-MiniLM-L6-v2")), nil)
	require.NoError(t, err)
	t.Log(time.Since(at), m.Describe(), m.Details())
	var s folder.Scratch
	ids, covered, err := m.Tokenize(&s, nil, []byte("This is an example sentence"), "")
	require.NoError(t, err)
	out := make([]float32, 384)
	require.NoError(t, m.Encode(&s, ids, []int{len(ids)}, "", out, nil, nil))
	t.Log(ids, covered, out[:8])
}
