package recipes_test

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/neighbours.md shows the lines of each example as they are run, at most fifteen.
func TestThePageShowsTheExamples(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "neighbours.md"))
	require.NoError(t, err)
	examples := 0
	for _, pattern := range []string{"*_test.go", "*/*_test.go"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			for function, lines := range exampleLines(t, name) {
				examples++
				require.LessOrEqual(t, len(lines), 15, function)
				require.Contains(t, string(page), "```go\n"+strings.Join(lines, "\n")+"\n```\n", "%s of %s", function, name)
			}
		}
	}
	require.Equal(t, 8, examples)
}

// exampleLines returns the lines of each example's body in a file, without its output and one tab.
func exampleLines(t *testing.T, name string) map[string][]string {
	t.Helper()
	source, err := os.ReadFile(name)
	require.NoError(t, err)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, 0)
	require.NoError(t, err)
	bodies := map[string][]string{}
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(function.Name.Name, "Example") {
			continue
		}
		body := source[files.Position(function.Body.Lbrace).Offset+2 : files.Position(function.Body.Rbrace).Offset]
		scanner := bufio.NewScanner(bytes.NewReader(body))
		for scanner.Scan() && !strings.HasPrefix(scanner.Text(), "\t// Output:") {
			bodies[function.Name.Name] = append(bodies[function.Name.Name], strings.TrimPrefix(scanner.Text(), "\t"))
		}
	}
	return bodies
}
