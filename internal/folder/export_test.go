package folder

import (
	"maps"
	"slices"
)

// Architectures lists every model_type that is known.
func Architectures() []string { return slices.Sorted(maps.Keys(architectures)) }
