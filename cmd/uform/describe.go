package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/collection"
	"github.com/unum-cloud/uform-go/uform"
)

// modelGeometry is what describe prints of a model.
type modelGeometry struct {
	Model         string   `json:"model"`
	Library       string   `json:"library"`
	Architecture  string   `json:"architecture"`
	Tokenizer     string   `json:"tokenizer"`
	Prompts       []string `json:"prompts,omitempty"`
	DefaultPrompt string   `json:"default_prompt,omitempty"`
	Modalities    []string `json:"modalities"`
	Columns       int      `json:"embedding_columns"`
	StateColumns  int      `json:"state_columns"`
	Context       int      `json:"context"`
	Layers        int      `json:"layers"`
	Heads         int      `json:"heads"`
	Parameters    uint64   `json:"parameters"`
	WeightsBytes  uint64   `json:"weights_bytes"`
	FileBytes     int64    `json:"file_bytes,omitempty"`
	Scalar        string   `json:"scalar"`
	SampleRate    int      `json:"sample_rate,omitempty"`
	QuestionTypes int      `json:"question_types,omitempty"`
}

// indexGeometry is what describe prints of an index.
type indexGeometry struct {
	Index      string `json:"index"`
	Model      string `json:"model"`
	Items      int    `json:"items"`
	Columns    int    `json:"columns"`
	Scalar     string `json:"scalar"`
	Metric     string `json:"metric"`
	BytesOfRow int    `json:"bytes_of_row"`
}

// newDescribe returns the command that prints geometries.
func newDescribe() *cobra.Command {
	var opening opening
	var asJSON bool
	command := &cobra.Command{
		Use:   "describe [model or index]",
		Short: "Print the geometry of a model or an index",
		Long: "describe prints what a model takes and makes, or what an index has. The model is " +
			strings.TrimPrefix(modelUsage, "a `model`: ") + ". An index\nis a folder that search made.",
		Example: "  uform describe words\n" +
			"  uform describe --json tuned.safetensors\n" +
			"  uform describe notes.index",
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"words", "senses", "mini"}, cobra.ShellCompDirectiveDefault
		},
		RunE: func(command *cobra.Command, args []string) error {
			name := "words"
			if len(args) > 0 {
				name = args[0]
			}
			var geometry any
			var err error
			if shipped[name] == nil && collection.Exists(name) {
				geometry, err = describeIndex(name)
			} else {
				geometry, err = describeModel(command, &opening, name)
			}
			if err != nil {
				return err
			}
			return printGeometry(command.OutOrStdout(), geometry, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print one object of JSON")
	opening.addFlags(command.Flags())
	return command
}

func describeModel(command *cobra.Command, opening *opening, name string) (*modelGeometry, error) {
	library, err := opening.open()
	if err != nil {
		return nil, err
	}
	model, err := opening.load(command.Context(), library, name)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	d, err := model.Describe(command.Context())
	if err != nil {
		return nil, err
	}
	geometry := &modelGeometry{
		Model: name, Library: library.Origin().String(), Architecture: d.Architecture, Tokenizer: d.Tokenizer, Prompts: d.Prompts, DefaultPrompt: d.DefaultPrompt,
		Columns: d.EmbeddingColumns, StateColumns: d.StateColumns, Context: d.Context, Layers: d.Layers, Heads: d.Heads,
		Parameters: d.Parameters, WeightsBytes: d.WeightsBytes, Scalar: d.Scalar.String(),
		SampleRate: d.SampleRate, QuestionTypes: d.QuestionTypes,
	}
	for _, modality := range d.Modalities {
		geometry.Modalities = append(geometry.Modalities, modality.String())
	}
	if about, err := os.Stat(name); err == nil && about.Mode().IsRegular() && shipped[name] == nil {
		geometry.FileBytes = about.Size()
	}
	return geometry, nil
}

func describeIndex(name string) (*indexGeometry, error) {
	index, err := collection.Open(name)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	vectors := index.Vectors()
	wide := map[uform.Scalar]int{uform.F32: 4, uform.F16: 2, uform.I8: 1}[vectors.Scalar()]
	return &indexGeometry{
		Index: name, Model: index.Model, Items: index.Len(), Columns: vectors.Columns(),
		Scalar: vectors.Scalar().String(), Metric: vectors.Metric().String(), BytesOfRow: wide * vectors.Columns(),
	}, nil
}

// printGeometry prints the members that a geometry has as JSON, or as a table.
func printGeometry(out io.Writer, geometry any, asJSON bool) error {
	text, err := json.MarshalIndent(geometry, "", "  ")
	if err != nil {
		return err
	}
	if asJSON {
		_, err := fmt.Fprintf(out, "%s\n", text)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil { // the brace
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if list, ok := value.([]any); ok {
			value = strings.Trim(fmt.Sprint(list), "[]")
		}
		fmt.Fprintf(table, "%s\t%v\n", strings.ReplaceAll(name.(string), "_", " "), value)
	}
	return table.Flush()
}
