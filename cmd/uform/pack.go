package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/flow"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/packing"
	"github.com/unum-cloud/uform-go/platform"
)

// packer are the flags of pack.
type packer struct {
	inputs
	tables, matrices packing.Kind
	texts            []string
}

// newPack returns the command that makes checkpoints small.
func newPack() *cobra.Command {
	p := &packer{tables: packing.I4, matrices: packing.I8}
	command := &cobra.Command{
		Use:   "pack checkpoint packed",
		Short: "Make a checkpoint small for serving: without training state, matrices in few bits",
		Long: "pack leaves out the moments that only a training run reads, and rounds matrices: tables, which are\n" +
			"read row by row, to --tables, and all others to --matrices. Vectors stay as they are, and a matrix\n" +
			"that the file has in fewer bits, too. With --texts it embeds these items by both checkpoints, and\n" +
			"reports their cosines.",
		Example: "  uform pack tuned.safetensors small.safetensors --texts lines.txt\n" +
			"  uform pack tuned.safetensors half.safetensors --tables bf16 --matrices bf16",
		Args: cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, args []string) error { return p.run(command, args[0], args[1]) },
	}
	flags := command.Flags()
	flags.Var(&p.tables, "tables", "the kind of tables: f32, bf16, i8 or i4")
	flags.Var(&p.matrices, "matrices", "the `kind` of other matrices: f32, bf16, i8 or i4")
	flags.StringArrayVar(&p.texts, "texts", nil, "a `file` or folder of items to compare both checkpoints by; more than once for several")
	flags.StringVar(&p.library, "library", "", libraryUsage)
	for _, flag := range []string{"tables", "matrices"} {
		_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(packing.Kinds, cobra.ShellCompDirectiveNoFileComp))
	}
	return command
}

func (p *packer) run(command *cobra.Command, from, to string) error {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder, and pack takes UForm's checkpoints: load the folder with --scalar i8 or bf16, or teach a small checkpoint what it says by examples/distill", from)
	}
	var file []byte
	var err error
	if shippedFile := checkpoints[from]; shippedFile != nil {
		file = shippedFile()
	} else if file, err = platform.ReadRegular(from); err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := packing.Pack(&packed, file, packing.Options{Tables: p.tables, Matrices: p.matrices}); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	err = platform.ReplaceFile(to, func(out io.Writer) error {
		_, err := out.Write(packed.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(command.OutOrStdout(), "%s: %d bytes\n%s: %d bytes, %.1f %%\n", from, len(file), to, packed.Len(),
		100*float64(packed.Len())/float64(len(file)))
	if len(p.texts) == 0 {
		return nil
	}
	return p.compare(command, file, packed.Bytes())
}

// compare embeds the items by both checkpoints, and prints the mean and the least of the cosines.
func (p *packer) compare(command *cobra.Command, file, packed []byte) (err error) {
	if p.sources, err = items.List(p.texts); err != nil {
		return err
	}
	ctx := command.Context()
	library, err := p.open()
	if err != nil {
		return err
	}
	original, err := library.LoadBytes(ctx, file, nil)
	if err != nil {
		return err
	}
	defer original.Close()
	small, err := library.LoadBytes(ctx, packed, nil)
	if err != nil {
		return err
	}
	defer small.Close()
	encoder, err := flow.NewEncoder(ctx, small, 1, "")
	if err != nil {
		return err
	}
	defer encoder.Close()
	count, sum, least, worst := 0, 0.0, math.Inf(1), ""
	p.unit = items.Auto
	err = p.embed(ctx, command, original, items.Position{}, 0, true, func(r flow.Result, _ int) error {
		again, err := encoder.Embed(ctx, r.Batch)
		if err != nil {
			return err
		}
		for i := range again {
			cosine := cosineOf(r.Vectors[i], again[i])
			count, sum = count+1, sum+cosine
			if cosine < least {
				least, worst = cosine, r.Items[i].Name
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count == 0 {
		return fmt.Errorf("--texts: there is no item")
	}
	fmt.Fprintf(command.OutOrStdout(), "cosine to the original, of %d items: mean %.5f, least %.5f (%s)\n", count, sum/float64(count), least, worst)
	return nil
}

func cosineOf(a, b []float32) float64 {
	lengths := math.Sqrt(dot(a, a) * dot(b, b))
	if lengths == 0 {
		return 0
	}
	return dot(a, b) / lengths
}
