package main

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/flow"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/rows"
	"github.com/unum-cloud/uform-go/uform"
)

// embedding are the flags of embed.
type embedding struct {
	inputs
	output  string
	format  rows.Format
	texts   bool
	restart bool
}

// newEmbed returns the command that turns items into vectors.
func newEmbed() *cobra.Command {
	e := new(embedding)
	command := &cobra.Command{
		Use:   "embed [file, folder or - ...]",
		Short: "Turn lines, files and folders into vectors: npy, JSON lines, TSV or Parquet",
		Long: "embed writes one vector for each item, in order.\n\n" + inputsHelp + "\n\n" +
			"With --output it can be interrupted: Ctrl-C keeps what is done in OUTPUT.partial and OUTPUT.resume,\n" +
			"and the same command continues there, as it does after a crash. Nothing is at OUTPUT until it is\n" +
			"complete. A text longer than the model's context is embedded by parts of it, whole.\n\n" +
			"JSON lines are objects of item and embedding, TSV has the item first, Parquet the columns item and\n" +
			"embedding, npy a row of float32 for each item. An item's name is its file, and its line from 1.",
		Example: "  uform embed lines.txt -o vectors.npy\n" +
			"  uform embed --text lines.txt -o vectors.parquet\n" +
			"  grep -h . *.txt | uform embed --format jsonl > vectors.jsonl\n" +
			"  uform embed --model senses --skip-bad pictures/ -o pictures.tsv",
		RunE: func(command *cobra.Command, args []string) error { return e.run(command, args) },
	}
	flags := command.Flags()
	flags.StringVarP(&e.output, "output", "o", "", "the `file` to write; by default standard output")
	flags.Var(&e.format, "format", "the format: npy, jsonl, tsv or parquet; by default that of the output's extension, else tsv")
	flags.BoolVar(&e.texts, "text", false, "write the texts beside the vectors")
	flags.BoolVar(&e.restart, "restart", false, "forget what an interrupted command left, and begin again")
	e.inputs.addFlags(command)
	_ = command.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(rows.Formats, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (e *embedding) run(command *cobra.Command, args []string) (err error) {
	ctx := command.Context()
	if err := e.settle(); err != nil {
		return usage(command, err)
	}
	if err := e.list(command, args); err != nil {
		return err
	}
	model, err := e.load(ctx)
	if err != nil {
		return err
	}
	defer model.Close()
	description, err := model.Describe(ctx)
	if err != nil {
		return err
	}
	layout := rows.Layout{Format: e.format, Columns: description.EmbeddingColumns, Texts: e.texts}
	if e.output == "" {
		return e.stream(ctx, command, model, layout)
	}
	return e.file(ctx, command, model, layout)
}

// settle decides the format.
func (e *embedding) settle() (err error) {
	switch {
	case e.format == "" && e.output == "":
		e.format = rows.TSV
	case e.format == "":
		if e.format, err = rows.FormatOf(e.output); err != nil {
			return err
		}
	}
	if e.texts && e.format == rows.NPY {
		return fmt.Errorf("an npy file has no texts: leave out --text, or use another format")
	}
	if e.output == "" {
		_, err = rows.Stream(nil, rows.Layout{Format: e.format})
	}
	return err
}

// stream writes to standard output.
func (e *embedding) stream(ctx context.Context, command *cobra.Command, model *uform.Model, layout rows.Layout) error {
	buffered := bufio.NewWriterSize(command.OutOrStdout(), 64<<10)
	write, err := rows.Stream(buffered, layout)
	if err != nil {
		return err
	}
	return e.embed(ctx, command, model, items.Position{}, 0, false, func(r flow.Result, _ int) error {
		if err := write(rowsOf(r)); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// file writes the output, or continues it.
func (e *embedding) file(ctx context.Context, command *cobra.Command, model *uform.Model, layout rows.Layout) (err error) {
	out, err := rows.Create(e.output, layout, e.identity(layout), e.restart)
	if err != nil {
		return err
	}
	begun := out.State()
	if begun.Rows+begun.Bad > 0 {
		fmt.Fprintf(command.ErrOrStderr(), "uform: continuing after %d items\n", begun.Rows+begun.Bad)
	}
	err = e.embed(ctx, command, model, begun.Position, begun.Rows+begun.Bad, false, func(r flow.Result, bad int) error {
		return out.Write(rowsOf(r), r.After, bad)
	})
	if err == nil {
		err = out.Finish()
	}
	state := out.State()
	if err != nil {
		if saving := out.Close(); saving != nil {
			return fmt.Errorf("%w; and %s cannot be continued: %w", err, e.output, saving)
		}
		if kept := state.Rows + state.Bad; kept > 0 {
			fmt.Fprintf(command.ErrOrStderr(), "uform: kept %d items: the same command continues after them\n", kept)
		}
		return err
	}
	fmt.Fprintf(command.ErrOrStderr(), "uform: wrote %s: %d rows of %d", e.output, state.Rows, layout.Columns)
	if state.Bad > 0 {
		fmt.Fprintf(command.ErrOrStderr(), ", and left out %d items", state.Bad)
	}
	fmt.Fprintln(command.ErrOrStderr())
	return nil
}

// identity tells this command from those that would make another output.
func (e *embedding) identity(layout rows.Layout) string {
	return fmt.Sprintf("%q %q %q %s %v %s", e.modelIdentity(), e.prompt, e.library, e.unit, layout, items.Identity(e.sources))
}

func rowsOf(r flow.Result) []rows.Row {
	made := make([]rows.Row, len(r.Items))
	for i, item := range r.Items {
		made[i] = rows.Row{Item: item.Name, Vector: r.Vectors[i]}
		if item.Modality == uform.Text {
			made[i].Text = string(item.Content)
		}
	}
	return made
}
