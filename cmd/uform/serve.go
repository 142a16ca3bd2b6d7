package main

import "github.com/spf13/cobra"

// newServe returns the command that serves models over HTTP.
func newServe() *cobra.Command {
	var opening opening
	var models []string
	command := &cobra.Command{
		Use:   "serve",
		Short: "Serve embeddings over HTTP, as OpenAI, Ollama and text-embeddings-inference do",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			library, err := opening.open()
			if err != nil {
				return err
			}
			for _, name := range models {
				model, err := opening.load(command.Context(), library, name)
				if err != nil {
					return err
				}
				defer model.Close()
			}
			return nil
		},
	}
	opening.addFlags(command.Flags())
	command.Flags().StringArrayVar(&models, "model", []string{"words"}, modelUsage)
	completeModel(command, "model")
	return command
}
