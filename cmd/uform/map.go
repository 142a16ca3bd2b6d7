package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/chart"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/flow"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
)

// mapping are the flags of map.
type mapping struct {
	inputs
	outputs []string
	title   string
	axes    string
	groups  int
	most    int
}

// newMap returns the command that draws collections.
func newMap() *cobra.Command {
	m := new(mapping)
	command := &cobra.Command{
		Use:   "map [file, folder or - ...]",
		Short: "Draw a picture of a collection: near items together, groups with their typical words",
		Long: "map embeds items and draws each as a point, by t-SNE, so that near ones are together. Groups of near\n" +
			"items, by k-means, have a colour and the words that are typical for them. The picture is SVG, or one\n" +
			"HTML page without other files, which shows an item under the pointer; both follow the viewer's\n" +
			"choice of light or dark.\n\n" + inputsHelp + " Blank lines, too.",
		Example: "  uform map notes/*.txt -o notes.html\n" +
			"  uform map --model senses pictures/ -o pictures.svg -o pictures.html",
		RunE: func(command *cobra.Command, args []string) error { return m.run(command, args) },
	}
	flags := command.Flags()
	flags.StringArrayVarP(&m.outputs, "output", "o", nil, "the `file` to write, .svg or .html; more than once for both")
	flags.StringVar(&m.title, "title", "", "the title; by default the names of what is drawn")
	flags.StringVar(&m.axes, "axes", "tsne", "how places are found: tsne, or pca for the two principal components")
	flags.IntVar(&m.groups, "groups", 0, fmt.Sprintf("the number of groups, 1 to %d; by default from that of items", chart.Colours))
	flags.IntVar(&m.most, "most", 5000, "the most items that are drawn; of more, so many at random")
	m.addFlags(command)
	_ = command.RegisterFlagCompletionFunc("axes", cobra.FixedCompletions([]string{"tsne", "pca"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (m *mapping) run(command *cobra.Command, args []string) error {
	if err := m.check(); err != nil {
		return usage(command, err)
	}
	if err := m.list(command, args); err != nil {
		return err
	}
	for _, output := range m.outputs {
		if err := platform.Replaceable(output); err != nil {
			return err
		}
	}
	ctx := command.Context()
	model, err := m.load(ctx)
	if err != nil {
		return err
	}
	defer model.Close()
	drawn, vectors, seen, err := m.collect(ctx, command, model)
	if err != nil {
		return err
	}
	if len(vectors) < 2 {
		return fmt.Errorf("there are %d items: a picture needs at least two", len(vectors))
	}
	if seen > len(vectors) {
		fmt.Fprintf(command.ErrOrStderr(), "uform: drawing %d of %d items, at random: --most draws more\n", len(vectors), seen)
	}
	if drawn.Title = m.title; drawn.Title == "" {
		drawn.Title = titleOf(args)
	}
	if drawn.Points, err = m.places(ctx, command, vectors); err != nil {
		return err
	}
	count := m.groups
	if count == 0 {
		count = min(max(int(math.Sqrt(float64(len(vectors))/2)), 2), chart.Colours)
	}
	drawn.Groups = chart.Groups(vectors, count)
	drawn.Labels = chart.Labels(spoken(drawn), drawn.Groups)
	for _, output := range m.outputs {
		write := drawn.SVG
		if isPage(output) {
			write = drawn.HTML
		}
		if err := platform.ReplaceFile(output, func(to io.Writer) error { return write(to) }); err != nil {
			return err
		}
		fmt.Fprintf(command.ErrOrStderr(), "uform: wrote %s: %d items in %d groups\n", output, len(vectors), len(drawn.Labels))
	}
	return nil
}

func isPage(path string) bool {
	extension := strings.ToLower(filepath.Ext(path))
	return extension == ".html" || extension == ".htm"
}

func (m *mapping) check() error {
	if len(m.outputs) == 0 {
		return errNoOutput
	}
	for _, output := range m.outputs {
		if !isPage(output) && strings.ToLower(filepath.Ext(output)) != ".svg" {
			return fmt.Errorf("%s: name a file that ends with .svg or .html", output)
		}
	}
	switch {
	case m.axes != "tsne" && m.axes != "pca":
		return fmt.Errorf("--axes %q: use tsne or pca", m.axes)
	case m.groups < 0 || m.groups > chart.Colours:
		return fmt.Errorf("--groups is %d: it is from 1 to %d", m.groups, chart.Colours)
	case m.most < 2:
		return fmt.Errorf("--most is %d: it is at least 2", m.most)
	}
	return nil
}

// collect embeds the items, and keeps so many as are drawn: every set of them is equally likely.
func (m *mapping) collect(ctx context.Context, command *cobra.Command, model *uform.Model) (drawn *chart.Chart, vectors [][]float32, seen int, err error) {
	drawn = new(chart.Chart)
	random := rand.New(rand.NewPCG(1, 2))
	err = m.embed(ctx, command, model, items.Position{}, 0, true, func(r flow.Result, _ int) error {
		for i, item := range r.Items {
			text := ""
			if item.Modality == uform.Text {
				text = string(item.Content[:min(len(item.Content), mostDrawnText)])
			}
			seen++
			if len(vectors) < m.most {
				drawn.Names, drawn.Texts = append(drawn.Names, item.Name), append(drawn.Texts, text)
				vectors = append(vectors, r.Vectors[i])
			} else if at := random.IntN(seen); at < m.most {
				drawn.Names[at], drawn.Texts[at], vectors[at] = item.Name, text, r.Vectors[i]
			}
		}
		return nil
	})
	return drawn, vectors, seen, err
}

// mostDrawnText is how much of a text is kept for labels and for showing it, in bytes.
const mostDrawnText = 4000

func (m *mapping) places(ctx context.Context, command *cobra.Command, vectors [][]float32) ([]chart.Point, error) {
	if m.axes == "pca" {
		return chart.Principal(vectors), nil
	}
	line := newProgress(command.ErrOrStderr(), "items placed")
	defer line.end()
	return chart.Places(ctx, vectors, func(share float64) { line.show(int64(len(vectors)), share, "") })
}

// spoken are the texts that labels are made of: what is no text has its name.
func spoken(c *chart.Chart) []string {
	texts := make([]string, len(c.Texts))
	for i, text := range c.Texts {
		if texts[i] = text; text == "" {
			base := path.Base(c.Names[i])
			texts[i] = strings.TrimSuffix(base, path.Ext(base))
		}
	}
	return texts
}

// titleOf names what is drawn.
func titleOf(args []string) string {
	if len(args) == 0 || len(args) == 1 && args[0] == "-" {
		return "standard input"
	}
	title := filepath.Base(args[0])
	if len(args) > 1 {
		title += fmt.Sprintf(" and %d more", len(args)-1)
	}
	return title
}
