package loader_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/platform"
)

// childVariable turns this test program into one that opens a library and reports, so that it can
// be started from another folder and with other rights. Its value is "optional", "required" or
// "proven".
const childVariable = "UFORM_TEST_OPEN"

// found is what a child reports.
type found struct {
	Path, Text string
	Skipped    [][2]string
	Embedded   bool
	// Status is that of the error, zero for none.
	Status    errors.Status
	Different bool // whether the user that started it is another one than it runs as
}

func TestMain(m *testing.M) {
	wish := os.Getenv(childVariable)
	if wish == "" {
		os.Exit(m.Run())
	}
	library, err := loader.Open(&loader.Options{RequireNative: wish == "required", RequireProven: wish == "proven"})
	report := found{Different: os.Getuid() != os.Geteuid()}
	var origin loader.Origin
	if err != nil {
		report.Text = err.Error()
		report.Status, _ = errors.StatusOf(err)
		origin, report.Embedded = loader.Embedded(err)
	} else {
		origin = library.Origin
		report.Text, report.Path = origin.String(), origin.Path
	}
	for _, candidate := range origin.Skipped {
		report.Skipped = append(report.Skipped, [2]string{candidate.Path, candidate.Reason.Error()})
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		os.Exit(1)
	}
}

// child is this test program in a folder of its own.
type child struct {
	folder, program string
	environment     []string
	workingFolder   string
}

func newChild(t testing.TB) *child {
	t.Helper()
	needNative(t)
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	child := &child{folder: folder, program: filepath.Join(folder, "program.exe"), workingFolder: t.TempDir()}
	self, err := os.Executable()
	require.NoError(t, err)
	from, err := os.Open(self)
	require.NoError(t, err)
	defer from.Close()
	to, err := os.OpenFile(child.program, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return child
}

// beside is the path of the i-th name of libuform beside the program.
func (child *child) beside(i int) string {
	return filepath.Join(child.folder, platform.LibraryNames()[i])
}

func (child *child) command(wish string) *exec.Cmd {
	command := exec.Command(child.program)
	command.Dir = child.workingFolder
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, loader.Variable+"=") {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(append(command.Env, childVariable+"="+wish), child.environment...)
	return command
}

func (child *child) run(t testing.TB, wish string) (report found) {
	t.Helper()
	return reported(t, child.command(wish))
}

func reported(t testing.TB, command *exec.Cmd) (report found) {
	t.Helper()
	command.Stderr = os.Stderr
	said, err := command.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(said, &report))
	return report
}

// A search that wants proof goes on past a library that has none, and the engine stands in where
// there is no other.
func TestSearchSkipsWhatIsNotProven(t *testing.T) {
	child := newChild(t)
	writeStub(t, child.beside(0), "STUB_PLAIN")
	require.Equal(t, child.beside(0), child.run(t, "optional").Path)
	report := child.run(t, "proven")
	require.NotEqual(t, child.beside(0), report.Path)
	require.True(t, report.Embedded || report.Path != "")
	require.Equal(t, child.beside(0), report.Skipped[0][0])
	require.Contains(t, report.Skipped[0][1], "layout (no uform_layout_of)")
}

func TestSearchFindsNothing(t *testing.T) {
	child := newChild(t)
	for _, variable := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		path := child.workingFolder + string(filepath.ListSeparator) + os.Getenv(variable)
		child.environment = append(child.environment, variable+"="+path)
	}
	for i := range platform.LibraryNames() { // where nobody may look
		writeStub(t, filepath.Join(child.workingFolder, platform.LibraryNames()[i]))
	}
	report := child.run(t, "optional")
	if report.Path != "" {
		require.NotContains(t, []string{child.folder, child.workingFolder}, filepath.Dir(report.Path))
		t.Skip("a libuform is installed on this machine")
	}
	require.Equal(t, errors.ErrLibraryMissing, report.Status)
	require.True(t, report.Embedded)
	// The child's places are this program's but for the first, its own folder.
	places := append([]string{child.folder}, platform.Places()[1:]...)
	require.Len(t, report.Skipped, len(places)*len(platform.LibraryNames()))
	for i, candidate := range report.Skipped {
		require.Equal(t, filepath.Join(places[i/len(platform.LibraryNames())], platform.LibraryNames()[i%len(platform.LibraryNames())]), candidate[0])
		require.Contains(t, report.Text, "\n\t"+candidate[0]+": "+candidate[1], "the error lists every candidate with its reason")
	}
	require.False(t, child.run(t, "required").Embedded)
}

// Bug 1: a stale system library that is found first. It is skipped, and the origin has what was
// found and what was wanted.
func TestBug1AStaleLibraryIsSkipped(t *testing.T) {
	child := newChild(t)
	writeStub(t, child.beside(0), "STUB_MAJOR=3")
	writeStub(t, child.beside(1))
	report := child.run(t, "required")
	require.Equal(t, child.beside(1), report.Path)
	require.Equal(t, [][2]string{{child.beside(0), "found major version 3, want 4"}}, report.Skipped)
	require.Contains(t, report.Text, "; skipped: "+child.beside(0)+": found major version 3, want 4")

	require.NoError(t, os.Remove(child.beside(1)))
	report = child.run(t, "optional")
	if report.Path == "" {
		require.True(t, report.Embedded)
		require.Contains(t, report.Text, child.beside(0)+": found major version 3, want 4")
	}
}

func TestSearchPrefersTheEnvironment(t *testing.T) {
	child := newChild(t)
	writeStub(t, child.beside(0))
	named := stub(t)
	child.environment = []string{loader.Variable + "=" + named}
	require.Equal(t, named, child.run(t, "optional").Path)
	child.environment = []string{loader.Variable + "=" + loader.KindEmbedded}
	report := child.run(t, "optional")
	require.True(t, report.Embedded)
	require.Empty(t, report.Skipped, "what is not wanted is not looked for")
	child.environment = nil
	require.Equal(t, child.beside(0), child.run(t, "optional").Path)
}

// What everybody may write is not picked up, only named.
func TestSearchSkipsWhatAnybodyMayWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are not Unix's")
	}
	child := newChild(t)
	writeStub(t, child.beside(0))
	require.NoError(t, os.Chmod(child.folder, 0o777|fs.ModeSticky))
	report := child.run(t, "optional")
	require.Equal(t, child.beside(0), report.Skipped[0][0])
	require.Contains(t, report.Skipped[0][1], "everybody may write "+child.folder)
	require.NotEqual(t, child.beside(0), report.Path)
	child.environment = []string{loader.Variable + "=" + child.beside(0)}
	require.Equal(t, child.beside(0), child.run(t, "optional").Path)
}

// A build without a loader of shared libraries says so, and leaves the rest to the engine.
func TestUnsupported(t *testing.T) {
	if platform.Native {
		return
	}
	_, err := loader.Open(nil)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, platform.Unsupported().Error())
	origin, embedded := loader.Embedded(err)
	require.True(t, embedded)
	require.Equal(t, loader.Origin{Kind: loader.KindEmbedded}, origin)

	_, err = loader.Open(&loader.Options{RequireNative: true})
	requireFailure(t, err, errors.ErrUnsupported)
	_, err = loader.Open(&loader.Options{Path: "libuform.so"})
	requireFailure(t, err, errors.ErrUnsupported, "libuform.so")
	t.Setenv(loader.Variable, "libuform.so")
	_, err = loader.Open(nil)
	requireFailure(t, err, errors.ErrUnsupported, "libuform.so")
}
