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
	path := filepath.Join(t.TempDir(), "README.md")
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

func TestStanding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	page := table([]row{{"linux/386", "the kernel", verdict{executed, not}}, {"linux/amd64, static", "the kernel", verdict{executed, not}}}, nil)
	require.NoError(t, os.WriteFile(path, []byte(opening+page+closing), 0o600))
	for _, test := range []struct {
		platform platform
		want     []row
	}{
		{platform{name: "linux/386", target: "linux/386"}, []row{{"linux/386", "the kernel", verdict{executed, not}}}},
		{platform{name: "static", target: "linux/amd64"}, []row{{"linux/amd64, static", "the kernel", verdict{executed, not}}}},
		{platform{name: "windows/386", target: "windows/386"}, nil},
	} {
		got, err := standing(path, &test.platform)
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
	_, err := standing(path+"x", &platform{})
	require.Error(t, err)
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

// Wine's paths become this system's, options and names stay.
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
