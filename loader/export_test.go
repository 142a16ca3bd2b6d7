package loader

import "github.com/unum-cloud/uform-go/abi"

// ProveLayout is what Open makes of a library's report of its layout.
func ProveLayout(table *abi.Library) error { return proveLayout(table, new(Origin)) }
