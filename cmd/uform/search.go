package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/collection"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/flow"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// newSearch returns the command over indexes, with those below it.
func newSearch() *cobra.Command {
	command := &cobra.Command{
		Use:   "search",
		Short: "Make, extend and ask an index of lines or files",
		Long:  "search finds the lines or files that are nearest in meaning. An index is a folder, which remembers its model.",
		Example: "  uform search add notes.index notes/*.txt\n" +
			"  uform search ask notes.index where did I leave the keys\n" +
			"  uform search remove notes.index notes/old.txt",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(newSearchAdd(), newSearchAsk(), newSearchRemove())
	return command
}

// adding are the flags of search add.
type adding struct {
	inputs
	kind string
}

func newSearchAdd() *cobra.Command {
	a := new(adding)
	command := &cobra.Command{
		Use:   "add index [file, folder or - ...]",
		Short: "Add lines and files to an index, which is made if there is none",
		Long: "add embeds items and adds them to an index. What the index has of the same files is replaced.\n" +
			"The index changes at the end, at once: after an interrupt it is as before.\n\n" + inputsHelp +
			"\nBlank lines are left out. The new vectors are in memory until the end: 1.5 GB for a million of\n" +
			"384 columns, half of it with --kind f16.",
		Example: "  uform search add notes.index notes/*.txt\n" +
			"  uform search add --model senses pictures.index pictures/",
		Args: cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error { return a.run(command, args[0], args[1:]) },
	}
	a.addFlags(command)
	command.Flags().StringVar(&a.kind, "kind", "f32", "how a new index keeps vectors: f32, f16 or i8")
	_ = command.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"f32", "f16", "i8"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (a *adding) run(command *cobra.Command, folder string, paths []string) (err error) {
	kind, known := map[string]uform.Scalar{"f32": uform.F32, "f16": uform.F16, "i8": uform.I8}[a.kind]
	if !known {
		return usage(command, fmt.Errorf("--kind %q: use f32, f16 or i8", a.kind))
	}
	if err := a.list(command, paths); err != nil {
		return err
	}
	ctx := command.Context()
	made := !collection.Exists(folder)
	var index *collection.Collection
	if !made {
		if index, err = collection.Open(folder); err != nil {
			return err
		}
		if command.Flags().Changed("model") && absolute(a.model) != index.Model {
			return errors.Join(fmt.Errorf("%s was made by the model %s: leave out --model, or make another index", folder, index.Model), index.Close())
		}
		a.model = index.Model
		if err := a.scalar.Set(index.Scalar); index.Scalar != "" && err != nil {
			return errors.Join(fmt.Errorf("%s: scalar %q: %w", folder, index.Scalar, err), index.Close())
		}
	}
	model, err := a.load(ctx)
	if err != nil {
		return errors.Join(err, closing(index))
	}
	defer model.Close()
	description, err := model.Describe(ctx)
	if err != nil {
		return errors.Join(err, closing(index))
	}
	a.prompt = promptOf(description, a.prompt, collection.Passages)
	if made {
		info := collection.Info{Model: absolute(a.model), Scalar: a.scalar.String()}
		index, err = collection.Create(folder, info, &nearest.Options{Columns: description.EmbeddingColumns, Scalar: kind})
		if err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	if have := index.Vectors().Columns(); have != description.EmbeddingColumns {
		return fmt.Errorf("%s has vectors of %d columns, and the model makes %d", folder, have, description.EmbeddingColumns)
	}
	return a.fill(command, model, index, folder)
}

// fill replaces what the index has of the sources, and saves.
func (a *adding) fill(command *cobra.Command, model *uform.Model, index *collection.Collection, folder string) error {
	ctx := command.Context()
	sources := map[string]bool{}
	for _, source := range a.sources {
		if name := source.Name(); source.Path != "-" {
			sources[name] = true
		}
	}
	replaced, err := index.Remove(func(source string) bool { return sources[source] })
	if err != nil {
		return err
	}
	added := 0
	err = a.embed(ctx, command, model, items.Position{}, 0, true, func(r flow.Result, _ int) error {
		kept := make([]collection.Item, len(r.Items))
		for i, item := range r.Items {
			kept[i] = collection.Item{Name: item.Name, Source: item.Source}
			if item.Modality == uform.Text {
				kept[i].Text = string(item.Content)
			}
		}
		added += len(kept)
		return index.Add(kept, r.Vectors)
	})
	if err != nil {
		return err
	}
	if err := index.Save(ctx); err != nil {
		return err
	}
	fmt.Fprintf(command.ErrOrStderr(), "uform: %s: added %d items", folder, added)
	if replaced > 0 {
		fmt.Fprintf(command.ErrOrStderr(), ", in place of %d", replaced)
	}
	fmt.Fprintf(command.ErrOrStderr(), ", %d in all\n", index.Len())
	return nil
}

// promptOf is the prompt that was asked for, else the first of these that the model has, else none.
func promptOf(model uform.ModelDescription, asked string, names []string) string {
	return cmp.Or(asked, collection.PromptFor(model, names))
}

// closing closes an index that may be nil.
func closing(index *collection.Collection) error {
	if index == nil {
		return nil
	}
	return index.Close()
}

// absolute makes a path of a model independent of the working folder.
func absolute(model string) string {
	if shipped[model] != nil {
		return model
	}
	if path, err := filepath.Abs(model); err == nil {
		return path
	}
	return model
}

// removing: search remove.
func newSearchRemove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove index file ...",
		Short:   "Remove the items of files, and of all files in folders, from an index",
		Example: "  uform search remove notes.index notes/old.txt",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(command *cobra.Command, args []string) (err error) {
			index, err := collection.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, index.Close()) }()
			removed, err := index.Remove(func(source string) bool {
				for _, path := range args[1:] {
					path = filepath.ToSlash(path)
					if source == path || strings.HasPrefix(source, strings.TrimSuffix(path, "/")+"/") {
						return true
					}
				}
				return false
			})
			if err != nil {
				return err
			}
			if removed == 0 {
				return fmt.Errorf("%s has no items of %s", args[0], strings.Join(args[1:], ", "))
			}
			if err := index.Save(command.Context()); err != nil {
				return err
			}
			fmt.Fprintf(command.ErrOrStderr(), "uform: %s: removed %d items, %d are left\n", args[0], removed, index.Len())
			return nil
		},
	}
}

// asking are the flags of search ask.
type asking struct {
	opening
	k      int
	prompt string
	file   string
	asJSON bool
}

func newSearchAsk() *cobra.Command {
	a := new(asking)
	command := &cobra.Command{
		Use:   "ask index [word ...]",
		Short: "Find the items of an index that are nearest to a text or a file",
		Long: "ask prints the nearest items, best first: the cosine, the item, and its text. Without words each\n" +
			"line of standard input is a query, and an empty line follows the answer to each.",
		Example: "  uform search ask notes.index where did I leave the keys\n" +
			"  uform search ask pictures.index --file cat.jpg -k 3\n" +
			"  uform search ask notes.index --json < questions.txt",
		Args: cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			return a.run(command, args[0], strings.Join(args[1:], " "))
		},
	}
	flags := command.Flags()
	flags.IntVarP(&a.k, "nearest", "k", 10, "how many items are printed")
	flags.StringVar(&a.file, "file", "", "ask by a `file` of text, a picture, a video or a recording")
	flags.StringVar(&a.prompt, "prompt", "", "the `name` of a prompt to set before the query; by default \"query\" if the model has it, else the model's own")
	flags.BoolVar(&a.asJSON, "json", false, "print a line of JSON for each query")
	a.opening.addFlags(flags)
	return command
}

func (a *asking) run(command *cobra.Command, folder, query string) (err error) {
	switch {
	case a.k < 1:
		return usage(command, fmt.Errorf("-k is %d: it is at least 1", a.k))
	case a.file != "" && query != "":
		return usage(command, fmt.Errorf("ask by words or by --file, not both"))
	}
	ctx := command.Context()
	index, err := collection.Open(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	in := &inputs{opening: a.opening, model: index.Model, unit: items.Lines, threads: 1}
	if err := in.scalar.Set(index.Scalar); index.Scalar != "" && err != nil {
		return fmt.Errorf("%s: scalar %q: %w", folder, index.Scalar, err)
	}
	model, err := in.load(ctx)
	if err != nil {
		return err
	}
	defer model.Close()
	out := bufio.NewWriter(command.OutOrStdout())
	answer := func(asked string, vector []float32, last bool) error {
		found, err := index.Search(ctx, vector, a.k)
		if err != nil {
			return err
		}
		a.print(out, asked, found)
		if !last && !a.asJSON {
			fmt.Fprintln(out)
		}
		return out.Flush()
	}
	description, err := model.Describe(ctx)
	if err != nil {
		return err
	}
	in.prompt = promptOf(description, a.prompt, collection.Queries)
	if query != "" {
		vectors, err := model.EmbedWith(ctx, []string{query}, &uform.EmbedOptions{Prompt: in.prompt})
		if err != nil {
			return err
		}
		return answer(query, vectors[0], true)
	}
	path := "-"
	if a.file != "" {
		in.unit, path = items.Files, a.file
	}
	if in.sources, err = items.List([]string{path}); err != nil {
		return err
	}
	return in.embed(ctx, command, model, items.Position{}, 0, true, func(r flow.Result, _ int) error {
		for i, item := range r.Items {
			asked := item.Name
			if a.file == "" {
				asked = string(item.Content)
			}
			if err := answer(asked, r.Vectors[i], a.file != ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// print prints the answer to a query.
func (a *asking) print(out *bufio.Writer, asked string, found []collection.Found) {
	if a.asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(map[string]any{"query": asked, "nearest": found}) // out keeps its error for Flush
		return
	}
	for _, one := range found {
		text := strings.Join(strings.Fields(one.Text), " ")
		fmt.Fprintf(out, "%.3f  %s", one.Score, one.Name)
		if text != "" {
			fmt.Fprintf(out, "  %s", text)
		}
		fmt.Fprintln(out)
	}
}
