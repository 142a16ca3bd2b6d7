package command_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

// A program parses, works, and turns what came of it into a status.
func Example() {
	run := func(ctx context.Context, args []string, streams command.Streams) int {
		flags := command.Flags("shout", "Shout prints its words in capitals.", "[word ...]", streams.Err)
		err := command.Parse(flags, args)
		if err == nil {
			_, err = fmt.Fprintln(streams.Out, strings.ToUpper(strings.Join(flags.Args(), " ")))
		}
		return command.Status(ctx, "shout", err, streams.Err)
	}
	var out bytes.Buffer
	status := run(context.Background(), []string{"hello", "there"}, command.Streams{Out: &out, Err: io.Discard})
	fmt.Println(status, out.String())
	// Output: 0 HELLO THERE
}

func TestStatus(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	var out bytes.Buffer
	flags := command.Flags("program", "Program does this.", "[file]", &out)
	for name, row := range map[string]struct {
		ctx    context.Context
		err    error
		status int
		says   string
	}{
		"success":       {t.Context(), nil, command.Succeeded, ""},
		"help":          {t.Context(), flag.ErrHelp, command.Succeeded, ""},
		"misuse":        {t.Context(), command.Misuse(flags, "no %s", "file"), command.Misused, ""},
		"a failure":     {t.Context(), errors.New("no room"), command.Failed, "program: no room\n"},
		"an interrupt":  {ended, errors.New("cancelled"), command.Interrupted, "program: interrupted\n"},
		"done in time":  {ended, nil, command.Succeeded, ""},
		"interrupted -": {ended, command.Misuse(flags, "x"), command.Misused, ""},
	} {
		var said bytes.Buffer
		require.Equal(t, row.status, command.Status(row.ctx, "program", row.err, &said), name)
		require.Equal(t, row.says, said.String(), name)
	}
	require.Contains(t, out.String(), "program: no file\n")
}

func TestHelpBeginsWithWhatTheProgramDoes(t *testing.T) {
	var out bytes.Buffer
	flags := command.Flags("program", "Program does this.", "[file]", &out)
	flags.Int("n", 3, "do it `n` times")
	require.ErrorIs(t, command.Parse(flags, []string{"-h"}), flag.ErrHelp)
	require.True(t, strings.HasPrefix(out.String(), "Program does this.\n\nUsage: program [flags] [file]\n"), out.String())
	require.Contains(t, out.String(), "do it n times")
	err := command.Parse(flags, []string{"-none"})
	require.Equal(t, command.Misused, command.Status(t.Context(), "program", err, io.Discard))
}

func TestDashIsStandardInput(t *testing.T) {
	streams := command.Streams{In: strings.NewReader("read")}
	file, err := streams.Open("-")
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Equal(t, "read", string(content))
	require.NoError(t, file.Close())
	_, err = streams.Open("/none/of/this")
	require.ErrorContains(t, err, "/none/of/this")
}

func TestLine(t *testing.T) {
	var out bytes.Buffer
	require.Nil(t, command.NewLine(&out, 0))
	var none *command.Line
	require.False(t, none.Due())
	none.Draw("nothing")
	none.End()
	line := command.NewLine(&out, time.Hour)
	require.True(t, line.Due())
	line.Draw("half " + command.Bar(0.5))
	require.False(t, line.Due())
	line.End()
	require.Equal(t, "half [###############...............]\n", out.String())
	require.Equal(t, "[##############################]", command.Bar(2))
}
