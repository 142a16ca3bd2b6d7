package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
	"github.com/unum-cloud/uform-go/uform/senses"
	"github.com/unum-cloud/uform-go/uform/words"
)

// shipped are the models that come with the module, by the names that --model takes.
var shipped = map[string]func(context.Context, *uform.Library, *uform.LoadOptions) (*uform.Model, error){
	"words":  words.Load,
	"senses": senses.Load,
	"mini":   mini.Load,
}

const modelUsage = "a `model`: words, senses or mini, which come with the program; the path of a checkpoint;" +
	" or a folder in Hugging Face's layout"

// opening is how a command opens the library and loads a model: the flags --library and --scalar.
type opening struct {
	library string
	scalar  scalarFlag
}

// addFlags adds the flags to those of a command.
func (o *opening) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.library, "library", "",
		"the `path` of a shared libuform, or \"embedded\" for the engine of the program; by default one that the system has, else the engine")
	flags.Var(&o.scalar, "scalar", "the `kind` that weights are packed to: f32, bf16 or i8; by default that of the file")
}

// completeModel completes the value of a flag --model: names, then files.
func completeModel(command *cobra.Command, flag string) {
	_ = command.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"words", "senses", "mini"}, cobra.ShellCompDirectiveDefault
	})
}

// open opens the library.
func (o *opening) open() (*uform.Library, error) {
	switch o.library {
	case "":
		return uform.Open(nil)
	case "embedded":
		return uform.Open(&uform.OpenOptions{Embedded: true})
	}
	return uform.Open(&uform.OpenOptions{Path: o.library})
}

// load loads the model that --model names into library. A path wins over a shipped model only where
// it has a separator or an extension: "./words" is a file.
func (o *opening) load(ctx context.Context, library *uform.Library, name string) (*uform.Model, error) {
	options := &uform.LoadOptions{Scalar: uform.Scalar(o.scalar)}
	if load, ok := shipped[name]; ok {
		return load(ctx, library, options)
	}
	if name == "" {
		return nil, misuse{fmt.Errorf("--model is empty: name a model or a path")}
	}
	return library.Load(ctx, name, options)
}

// scalarFlag is a kind of weights as a flag. Zero is the file's own.
type scalarFlag uform.Scalar

// kinds are the kinds that weights can be packed to.
var kinds = []uform.Scalar{uform.F32, uform.BF16, uform.I8}

func (s *scalarFlag) Set(text string) error {
	for _, kind := range kinds {
		if strings.EqualFold(text, kind.String()) {
			*s = scalarFlag(kind)
			return nil
		}
	}
	return fmt.Errorf("there is no such kind: use f32, bf16 or i8")
}

func (s *scalarFlag) String() string {
	if *s == 0 {
		return ""
	}
	return uform.Scalar(*s).String()
}

func (s *scalarFlag) Type() string { return "kind" }
