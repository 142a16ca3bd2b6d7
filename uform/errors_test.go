package uform_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Package uform declares every sentinel of package errors again, so that programs need only uform.
func TestSentinelsAreAllThere(t *testing.T) {
	there := declared(t, "../errors/status_generated.go")
	require.Greater(t, len(there), 10)
	require.Subset(t, declared(t, "errors.go"), there)
}

// declared are the constants of a file whose names begin with Err.
func declared(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, name := range spec.Names {
				if strings.HasPrefix(name.Name, "Err") {
					names = append(names, name.Name)
				}
			}
		}
		return true
	})
	return names
}
