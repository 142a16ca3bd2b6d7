package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/flow"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/uform"
)

// inputsHelp explains what commands read.
const inputsHelp = "A file of text has an item on each line. Pictures, videos and recordings, and all files of a folder,\n" +
	"are an item each; --items changes that. What a file is, its first bytes say. \"-\" is standard input.\n" +
	"Hidden files of folders are left out."

// inputs are the flags and arguments of commands that embed what they read.
type inputs struct {
	opening
	model   string
	prompt  string
	unit    items.Unit
	skipBad bool
	threads int

	sources []items.Source
}

func (in *inputs) addFlags(command *cobra.Command) {
	flags := command.Flags()
	in.unit = items.Auto
	flags.StringVar(&in.model, "model", "words", modelUsage)
	flags.StringVar(&in.prompt, "prompt", "", "the `name` of a prompt to set before texts, of those that describe lists; by default the model's own")
	flags.Var(&in.unit, "items", "what an item is: the `lines` of texts, whole files, or auto")
	flags.BoolVar(&in.skipBad, "skip-bad", false, "report items that cannot be embedded, and leave them out; by default the first ends the command")
	flags.IntVar(&in.threads, "threads", 0, "how many batches are embedded at once; by default one for each core")
	in.opening.addFlags(flags)
	completeModel(command, "model")
	_ = command.RegisterFlagCompletionFunc("items", cobra.FixedCompletions([]string{"auto", "lines", "files"}, cobra.ShellCompDirectiveNoFileComp))
}

// list lists what the arguments name. Without any it is standard input, unless somebody sits there.
func (in *inputs) list(command *cobra.Command, paths []string) (err error) {
	if len(paths) == 0 {
		if file, ok := command.InOrStdin().(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return misuse{fmt.Errorf("name files or folders, or - for standard input (see %s --help)", command.CommandPath())}
		}
		paths = []string{"-"}
	}
	in.sources, err = items.List(paths)
	return err
}

// load opens the library and loads the model.
func (in *inputs) load(ctx context.Context) (*uform.Model, error) {
	library, err := in.open()
	if err != nil {
		return nil, err
	}
	return in.opening.load(ctx, library, in.model)
}

// modelIdentity tells a model from others by its name, and a file also from its other versions.
func (in *inputs) modelIdentity() string {
	identity := in.model + " " + in.scalar.String()
	if files, err := items.List([]string{in.model}); err == nil && shipped[in.model] == nil {
		identity += items.Identity(files)
	}
	return identity
}

// embed embeds the items from a position on, and calls each with a batch and how many bad items
// were left out of it. done is how many items an earlier run did.
func (in *inputs) embed(ctx context.Context, command *cobra.Command, model *uform.Model, at items.Position, done int64, skipBlank bool, each func(flow.Result, int) error) error {
	reader, err := items.NewReader(in.sources, in.unit, command.InOrStdin(), at)
	if err != nil {
		return err
	}
	reader.SkipBlank = skipBlank
	line := newProgress(command.ErrOrStderr(), "items")
	defer line.end()
	total := items.Total(in.sources)
	bad := 0
	options := &flow.Options{Threads: in.threads, Prompt: in.prompt}
	if in.skipBad {
		options.Bad = func(item items.Item, why error) error {
			line.clear()
			bad++
			fmt.Fprintf(command.ErrOrStderr(), "uform: left out %s: %s\n", item.Name, oneLine(why))
			return nil
		}
	}
	return flow.Run(ctx, model, reader, options, func(r flow.Result) error {
		if err := each(r, bad); err != nil {
			return err
		}
		done += int64(len(r.Items) + bad)
		bad = 0
		share := -1.0
		if total > 0 {
			share = min(float64(r.Read)/float64(total), 1)
		}
		line.show(done, share, "")
		return nil
	})
}
