//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	got := table([]row{{"linux/amd64", "the kernel", verdict{executed, executed}}}, map[verdict][]string{
		{compiled, not}:      {"plan9/amd64", "aix/ppc64", "plan9/386"},
		{compiled, compiled}: {"darwin/arm64"},
	})
	require.Equal(t, `| platform | run by | embedded engine | shared libuform |
| --- | --- | --- | --- |
| linux/amd64 | the kernel | executed | executed |
| darwin/arm64 | | compiled | compiled |
| aix/ppc64; plan9/386, amd64 | | compiled | not |
`, got)
}

func TestSettle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "platforms.md")
	require.NoError(t, os.WriteFile(path, []byte("before\n"+opening+"old\n"+closing+"after\n"), 0o600))
	require.ErrorContains(t, settle(path, "new\n", false), "another table")
	require.NoError(t, settle(path, "new\n", true))
	require.NoError(t, settle(path, "new\n", false))
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "before\n"+opening+"new\n"+closing+"after\n", string(page))
	require.NoError(t, os.WriteFile(path, []byte("nothing"), 0o600))
	require.Error(t, settle(path, "new\n", true))
}

// A table that was written to a page is read back the same.
func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	rows := []row{
		{"linux/386", "the kernel", verdict{executed, not}}, {"linux/amd64, static", "the kernel", verdict{executed, not}},
	}
	rest := map[verdict][]string{
		{compiled, compiled}: {"darwin/arm64"}, {compiled, not}: {"plan9/amd64", "aix/ppc64", "plan9/386"},
	}
	require.NoError(t, os.WriteFile(path, []byte(opening+table(rows, rest)+closing), 0o600))
	got, err := readTable(path)
	require.NoError(t, err)
	require.Subset(t, got, rows)
	require.Len(t, got, 2+len(rows)+4, "with the heading and its line")
	require.NoError(t, compare(path, rows, rest))
	require.NoError(t, compare(path, rows[1:], map[verdict][]string{{compiled, not}: {"plan9/amd64"}}), "a part")
	for _, other := range []row{
		{"linux/386", "the kernel", verdict{executed, executed}},
		{"linux/386", "qemu-user", verdict{executed, not}},
		{"linux/arm", "the kernel", verdict{executed, not}},
	} {
		require.ErrorContains(t, compare(path, []row{other}, nil), "another thing of "+other.name)
	}
	require.ErrorContains(t, compare(path, nil, map[verdict][]string{{compiled, compiled}: {"plan9/386"}}), "another thing of plan9/386")
	require.NoError(t, os.WriteFile(path, []byte(opening+"| a | b |\n"+closing), 0o600))
	require.ErrorContains(t, compare(path, rows, nil), "without four cells")
	require.NoError(t, os.WriteFile(path, []byte("nothing"), 0o600))
	require.Error(t, compare(path, rows, nil))
	require.Error(t, compare(path+"x", rows, nil))
}

// What is short names platforms and targets that there are, and the page has them.
func TestShort(t *testing.T) {
	all := platforms()
	few := shortened(all)
	require.Len(t, few, len(short), "every name is a platform's")
	for _, p := range few {
		require.False(t, p.trial, p.name)
		require.Equal(t, p.script == nil, len(p.packages) > 0, p.name)
	}
	rest, err := onlyCompiled(all)
	require.NoError(t, err)
	require.Subset(t, rest, shortTargets)
}

func TestChoose(t *testing.T) {
	all := []platform{{name: "a"}, {name: "b", trial: true}}
	for _, test := range []struct{ asked, want []string }{{nil, []string{theRest, "a"}}, {[]string{"b"}, []string{"b"}}} {
		got, err := choose(all, test.asked)
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
	_, err := choose(all, []string{"c"})
	require.ErrorContains(t, err, `no platform "c", but compiled a b`)
}

// Wine's paths are converted to this system's; options and names are not.
func TestCompilerPaths(t *testing.T) {
	drives := t.TempDir()
	require.NoError(t, os.Symlink("/", filepath.Join(drives, "z:")))
	wine := &compilers{drives: drives}
	for from, to := range map[string]string{
		`Z:\tmp\a.c`: "/tmp/a.c", `testdata\small.c`: "testdata/small.c", `-DNAME="a\n"`: `-DNAME="a\n"`, "gcc": "gcc", `q:\none`: "q:/none",
	} {
		require.Equal(t, to, wine.path(from), from)
	}
	require.Equal(t, `a\b`, (&compilers{}).path(`a\b`))
}
