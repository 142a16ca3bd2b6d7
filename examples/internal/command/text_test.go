package command_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

func TestTexts(t *testing.T) {
	reason := errors.New("no room")
	stop := errors.New("enough")
	ended, end := context.WithCancelCause(t.Context())
	end(stop)
	long := strings.Repeat("x", command.LongestText)
	for name, row := range map[string]struct {
		ctx    context.Context
		in     io.Reader
		places []string
		fault  string
	}{
		"lines":       {t.Context(), strings.NewReader("a\r\n\n \nb\nlast"), []string{"f:1 a", "f:4 b", "f:5 last"}, ""},
		"nothing":     {t.Context(), strings.NewReader(""), nil, ""},
		"not UTF-8":   {t.Context(), strings.NewReader("a\nb\xff\nc"), []string{"f:1 a"}, "f:2: the line is not UTF-8: convert it"},
		"too long":    {t.Context(), strings.NewReader("a\n" + long), []string{"f:1 a"}, "f:2: the line is longer than 1048576 bytes: break it"},
		"a failure":   {t.Context(), io.MultiReader(strings.NewReader("a\n"), broken{reason}), []string{"f:1 a"}, "f: no room"},
		"interrupted": {ended, strings.NewReader("a\n"), nil, "enough"},
		"stopped":     {t.Context(), strings.NewReader("stop\nb"), nil, "enough"},
		"of a file":   {t.Context(), broken{&fs.PathError{Op: "read", Path: "f", Err: reason}}, nil, "f: no room"},
	} {
		var places []string
		err := command.Texts(row.ctx, "f", row.in, func(text command.Text) error {
			if text.Content == "stop" {
				return stop
			}
			places = append(places, text.Place()+" "+text.Content)
			return nil
		})
		require.Equal(t, row.places, places, name)
		if row.fault == "" {
			require.NoError(t, err, name)
		} else {
			require.EqualError(t, err, row.fault, name)
		}
	}
}

// broken is a file that cannot be read.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
