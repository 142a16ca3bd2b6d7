package platform_test

import (
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// buildLine is the constraint of a Go file, nil where it has none.
func buildLine(t *testing.T, path string) constraint.Expr {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		if constraint.IsGoBuild(line) {
			expression, err := constraint.Parse(strings.TrimSpace(line))
			require.NoError(t, err)
			return expression
		}
	}
	return nil
}

// nativeTags is the one expression that says which builds load shared libraries: that of native.go.
func nativeTags(t *testing.T) constraint.Expr {
	t.Helper()
	expression := buildLine(t, "native.go")
	require.NotNil(t, expression)
	return expression
}

// Every file that imports purego is built by no more than the expression; the stubs by its exact negation. A file that
// is built where purego is not breaks those builds; one that differs by a word leaves some with both or with neither.
func TestTags(t *testing.T) {
	expression := nativeTags(t).String()
	allowed := []string{expression, "!windows && " + expression, "!uform_portable && " + expression, "uform_portable && " + expression}
	// Parentheses that the printer drops: the expression is a conjunction by itself.
	for i := range allowed {
		parsed, err := constraint.Parse("//go:build " + allowed[i])
		require.NoError(t, err)
		allowed[i] = parsed.String()
	}
	var importing, stubs []string
	for _, folder := range []string{".", filepath.Join("..", "loader"), filepath.Join("..", "internal", "mpi")} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, imported := range file.Imports {
				if imported.Path.Value == `"github.com/ebitengine/purego"` {
					importing = append(importing, path)
					require.NotNil(t, buildLine(t, path), path)
					require.Contains(t, allowed, buildLine(t, path).String(), path)
				}
			}
			if strings.HasSuffix(path, "_stub.go") {
				stubs = append(stubs, path)
				require.Equal(t, "!("+expression+")", buildLine(t, path).String(), path)
			}
		}
	}
	require.NotEmpty(t, importing)
	require.Contains(t, stubs, "native_stub.go")
	require.Contains(t, stubs, filepath.Join("..", "loader", "load_stub.go"))
}

// What the expression means, spelled out.
func TestTagsMeaning(t *testing.T) {
	expression := nativeTags(t)
	for tags, native := range map[string]bool{
		"linux amd64": true, "linux 386": true, "linux arm": true, "linux arm64": true, "linux riscv64": true,
		"linux loong64": true, "linux ppc64le": true, "darwin amd64": true, "darwin arm64": true, "windows amd64": true,
		"windows arm64": true, "windows 386": true, "netbsd amd64": true, "netbsd arm64": true,
		"linux s390x": false, "linux s390x cgo": true, "linux s390x go1.27": true,
		"freebsd amd64": false, "freebsd amd64 cgo": true, "freebsd riscv64 cgo": false,
		"linux android arm64": false, "linux android arm64 cgo": false, "darwin ios arm64": false, "darwin ios arm64 cgo": false,
		"linux ppc64": false, "linux mips64le": false, "openbsd amd64": false, "js wasm": false, "wasip1 wasm": false,
		"plan9 amd64": false, "linux amd64 uform_static": false, "windows amd64 uform_static": false,
	} {
		set := strings.Fields(tags)
		require.Equal(t, native, expression.Eval(func(tag string) bool { return slices.Contains(set, tag) }), tags)
	}
}
