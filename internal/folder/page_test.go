package folder_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
)

// pageRows returns the cells of the table of docs/models.md whose first column has that head.
func pageRows(t *testing.T, head string) (rows [][]string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "models.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| "+head+" |")
	require.True(t, found, head)
	for _, line := range strings.Split(table, "\n")[2:] {
		if !strings.HasPrefix(line, "| ") {
			return rows
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	return rows
}

// docs/models.md names every architecture, and a folder that proves it.
func TestPageNamesArchitectures(t *testing.T) {
	var named []string
	for _, row := range pageRows(t, "`model_type`") {
		for _, kind := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[0], -1) {
			named = append(named, kind[1])
		}
		require.FileExists(t, filepath.Join("testdata", strings.Trim(row[2], "`"), "golden.json"), row[0])
	}
	require.Equal(t, folder.Architectures(), slices.Sorted(slices.Values(named)))
}

// The figures of real models in docs/models.md are those of the loaded models.
func TestPageOfRealModels(t *testing.T) {
	for _, row := range pageRows(t, "model") {
		t.Run(row[0], func(t *testing.T) {
			source := realFolder(t, row[0])
			for i, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarBF16, abi.ScalarI8} {
				if row[4+i] == "" {
					continue
				}
				m, err := folder.Open(source, &folder.Options{Kind: kind})
				require.NoError(t, err)
				d := m.Describe()
				require.Equal(t, row[1], thousands(d.Parameters))
				require.Equal(t, row[2], fmt.Sprint(d.EmbeddingColumns))
				context := fmt.Sprint(d.Context)
				if d.Context == math.MaxInt32 {
					context = "any"
				}
				require.Equal(t, row[3], context)
				require.Equal(t, row[4+i], fmt.Sprint((d.WeightsBytes+1<<19)>>20), kind)
			}
		})
	}
}

// thousands writes a number in groups of three digits.
func thousands(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
