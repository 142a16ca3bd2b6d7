package native_test

import (
	"encoding/json"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const purego = "github.com/ebitengine/purego"

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

// systems is the list of systems: the constraint of systems.go.
func systems(t *testing.T) constraint.Expr {
	t.Helper()
	expression := buildLine(t, "systems.go")
	require.NotNil(t, expression)
	return expression
}

// tagsOf is how a constraint's evaluation sees a build.
func tagsOf(tags ...string) func(tag string) bool {
	return func(tag string) bool { return slices.Contains(tags, tag) }
}

// The list of systems is said in this package alone, by four files that agree to the letter: a file
// that is built where purego is not breaks those builds, and one that differs by a word leaves some
// with both forms or with neither. Only they import purego; tests, the modules under ci, and the
// recipes, which do what programs of users do, may besides, under build lines of their own.
func TestTheListIsWrittenOnce(t *testing.T) {
	list := systems(t).String()
	allowed := map[string]string{
		"systems.go": list, "systems_not.go": "!(" + list + ")", "open_unix.go": "!windows && " + list, "open_windows.go": list,
	}
	// A piece that no shorter line would have.
	const piece = "loong64 || ppc64le"
	require.Contains(t, list, piece)
	root := filepath.Join("..", "..")
	carrying, read := 0, 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		read++
		found := buildLine(t, path)
		inside, err := filepath.Rel(root, path)
		require.NoError(t, err)
		inside = filepath.ToSlash(inside)
		name, here := strings.CutPrefix(inside, "internal/native/")
		if found != nil && strings.Contains(found.String(), piece) {
			carrying++
			require.True(t, here, "%s says which systems load libraries: let it call package native instead", inside)
			require.Contains(t, allowed, name)
			want, err := constraint.Parse("//go:build " + allowed[name])
			require.NoError(t, err)
			require.Equal(t, want.String(), found.String(), inside)
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(inside, "ci/") || strings.HasPrefix(inside, "examples/recipes/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err, inside)
		for _, imported := range file.Imports {
			if imported.Path.Value == `"`+purego+`"` {
				require.True(t, here && allowed[name] != "", "%s imports purego: let it call package native instead", inside)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, len(allowed), carrying)
	require.Greater(t, read, 300, "the walk saw the repository")
}

// What the list means, spelled out.
func TestTheListMeans(t *testing.T) {
	expression := systems(t)
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
		require.Equal(t, native, expression.Eval(tagsOf(strings.Fields(tags)...)), tags)
	}
}

// The list is purego's own, but for what it compiles on and does not work on. purego says where it
// can call in syscall_unix.go, or where there is an assembler file for the processor; where it can
// open in dlfcn.go; for Windows it has no line beside the names of its files.
func TestTheListAgainstPurego(t *testing.T) {
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", purego).Output()
	if err != nil {
		t.Skip("no go command that knows where purego's source is: ", err)
	}
	folder := strings.TrimSpace(string(output))
	calls, opens := buildLine(t, filepath.Join(folder, "syscall_unix.go")), buildLine(t, filepath.Join(folder, "dlfcn.go"))
	require.NotNil(t, calls)
	require.NotNil(t, opens)
	assembled := func(goarch string) bool {
		_, err := os.Stat(filepath.Join(folder, "sys_"+goarch+".s"))
		return err == nil
	}
	// Targets that purego would compile for, and why the list leaves them out.
	reasons := map[string]string{
		"ios":     "an application may load its own frameworks alone",
		"freebsd": "without cgo it needs a flag of the compiler's; its README names amd64 and arm64 alone",
		"netbsd":  "its README names amd64 and arm64 alone",
	}
	output, err = exec.Command("go", "tool", "dist", "list", "-json").Output()
	require.NoError(t, err)
	var targets []struct{ GOOS, GOARCH string }
	require.NoError(t, json.Unmarshal(output, &targets))
	list := systems(t)
	agreed := 0
	for _, target := range targets {
		for _, more := range [][]string{nil, {"cgo"}, {"go1.27"}, {"cgo", "go1.27"}} {
			tags := append([]string{target.GOOS, target.GOARCH}, more...)
			switch target.GOOS {
			case "android":
				tags = append(tags, "linux")
			case "ios":
				tags = append(tags, "darwin")
			}
			theirs := assembled(target.GOARCH) &&
				(target.GOOS == "windows" || calls.Eval(tagsOf(tags...)) && opens.Eval(tagsOf(tags...)))
			ours := list.Eval(tagsOf(tags...))
			switch {
			case ours:
				require.True(t, theirs, "purego does not support %v", tags)
				agreed++
			case theirs:
				require.NotEmpty(t, reasons[target.GOOS], "purego supports %v", tags)
			}
		}
	}
	require.Greater(t, agreed, 40)
}
