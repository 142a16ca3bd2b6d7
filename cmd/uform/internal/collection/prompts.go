package collection

import (
	"slices"

	"github.com/unum-cloud/uform-go/uform"
)

// The names that models have for their prompts, those that fit best first.
var (
	Queries  = []string{"query"}
	Passages = []string{"document", "passage", "corpus"}
)

// PromptFor returns the first of these prompts that a model has, empty for the model's own.
func PromptFor(model uform.ModelDescription, names []string) string {
	for _, name := range names {
		if slices.Contains(model.Prompts, name) {
			return name
		}
	}
	return ""
}
