package clip_test

import (
	"go/build/constraint"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What needs shared libraries is built where package platform loads them, and nowhere else; the
// stub everywhere else.
func TestTags(t *testing.T) {
	expression := func(path string) constraint.Expr {
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
	native := expression(filepath.Join("..", "..", "..", "platform", "native.go"))
	require.NotNil(t, native)
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	tagged := 0
	for _, path := range paths {
		switch needs := strings.HasPrefix(path, "ffmpeg") || path == "export_native_test.go"; {
		case path == "native_stub.go":
			require.Equal(t, "!("+native.String()+")", expression(path).String(), path)
		case needs:
			tagged++
			require.NotNil(t, expression(path), path)
			require.Equal(t, native.String(), expression(path).String(), path)
		default:
			require.Nil(t, expression(path), path)
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(content), "github.com/ebitengine/"+"purego", path)
		}
	}
	require.Greater(t, tagged, 3)
}
