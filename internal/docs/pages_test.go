package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestREADMEIsShort(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(strings.Fields(string(readme))), 900, "words")
}

// `go get` of a folder without a package, as the module's root is, leaves go.sum without the sums
// that a build needs.
func TestREADMEGetsAPackage(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	got := regexp.MustCompile(`go get github\.com/unum-cloud/uform-go(\S*)`).FindAllStringSubmatch(string(readme), -1)
	require.Len(t, got, 1)
	sources, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(got[0][1]), "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, sources, got[0][0])
}

// The six lines of figures in README.md are copied from the page that the benchmarks write.
func TestREADMEsFiguresAreThoseOfThePage(t *testing.T) {
	readme, page := rows(t, "README.md"), rows(t, "docs/benchmarks.md")
	figures := 0
	for _, row := range readme {
		if !strings.Contains(strings.Join(row, ""), "×") || !strings.Contains(row[2], "ms") {
			continue
		}
		figures++
		require.True(t, slices.ContainsFunc(page, func(whole []string) bool {
			return !slices.ContainsFunc(row, func(cell string) bool { return !slices.Contains(whole, cell) })
		}), row)
	}
	require.Equal(t, 6, figures)
}

// rows returns the cells of a page's tables.
func rows(t *testing.T, name string) (all [][]string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "|\n"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if len(cells) > 2 {
			all = append(all, cells)
		}
	}
	return all
}

var link = regexp.MustCompile(`\]\(([^)#: ]+)(#[^)]*)?\)`)

// A link to a file of the module names a file that exists.
func TestLinks(t *testing.T) {
	links := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range link.FindAllStringSubmatch(string(content), -1) {
			links++
			_, err := os.Stat(filepath.Join(filepath.Dir(path), found[1]))
			require.NoError(t, err, "%s links to %s", path, found[1])
		}
		return nil
	}))
	require.Greater(t, links, 10)
}

// Prose is at most 100 columns wide; tables, code and lines that a link makes long are not prose.
func TestPagesAreNarrow(t *testing.T) {
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "uform/*/*.md", "testdata/*/*.md", "testdata/*/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		names = append(names, found...)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		fenced := false
		number := 0
		for line := range strings.Lines(string(content)) {
			number++
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced || strings.HasPrefix(line, "|") || strings.Contains(line, "](") {
				continue
			}
			require.LessOrEqual(t, len([]rune(line)), 100, "%s:%d", name, number)
		}
	}
}

var comment = regexp.MustCompile(`^\s*(?://|/\*\*?|\*)\s+([^|\s].*)$`)

// Comments of Go and C are at most 100 columns wide, with a tab stop every four. Generated files,
// tables and the output of examples are exempt.
func TestCommentsAreNarrow(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case !slices.Contains([]string{".go", ".c", ".h"}, filepath.Ext(path)):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil || strings.Contains(path, "generated") || strings.HasPrefix(string(content), "// Code generated ") {
			return err
		}
		files++
		output, number := false, 0
		for line := range strings.Lines(string(content)) {
			number++
			found := comment.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			output = found != nil && (output || strings.HasPrefix(found[1], "Output:"))
			if found != nil && !output {
				require.LessOrEqual(t, columns(found[0]), 100, "%s:%d", path, number)
			}
		}
		return nil
	}))
	require.Greater(t, files, 500)
}

// columns is the width of a line with a tab stop every four columns.
func columns(line string) (width int) {
	for _, character := range line {
		width++
		if character == '\t' {
			width = (width + 3) / 4 * 4
		}
	}
	return width
}
