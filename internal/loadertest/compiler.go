package loadertest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Variable is the environment variable that names the C compiler and its arguments, separated by
// spaces.
const Variable = "UFORM_CC"

// ErrNoCompiler is the reason for skipping: this machine has no C compiler for the system that the
// test was built for.
var ErrNoCompiler = errors.New("no C compiler for " + runtime.GOOS + "/" + runtime.GOARCH + ": install one, or name it in " + Variable)

// compiler is a command that makes shared libraries for the running system.
type compiler struct {
	command []string
	// identity changes whenever the compiler does.
	identity string
	// ffmpeg are the arguments that it finds FFmpeg by, none where it does not.
	ffmpeg []string
}

// findCompiler tries every candidate once a process.
var findCompiler = sync.OnceValues(func() (compiler, error) {
	if named := strings.Fields(os.Getenv(Variable)); len(named) > 0 {
		found, err := tryCompiler(named)
		if err != nil {
			return compiler{}, fmt.Errorf("%s names %q, which cannot build for %s/%s: %w", Variable, named, runtime.GOOS, runtime.GOARCH, err)
		}
		return found, nil
	}
	for _, candidate := range compilerCandidates() {
		if found, err := tryCompiler(candidate); err == nil {
			return found, nil
		}
	}
	return compiler{}, ErrNoCompiler
})

// crossCompilers are prefixes of compilers for a system and processor other than their own.
var crossCompilers = map[string]string{
	"linux/386":     "i686-linux-gnu-",
	"linux/amd64":   "x86_64-linux-gnu-",
	"linux/arm":     "arm-linux-gnueabihf-",
	"linux/arm64":   "aarch64-linux-gnu-",
	"linux/loong64": "loongarch64-linux-gnu-",
	"linux/ppc64le": "powerpc64le-linux-gnu-",
	"linux/riscv64": "riscv64-linux-gnu-",
	"linux/s390x":   "s390x-linux-gnu-",
	"windows/386":   "i686-w64-mingw32-",
	"windows/amd64": "x86_64-w64-mingw32-",
}

func compilerCandidates() (candidates [][]string) {
	if named := strings.Fields(os.Getenv("CC")); len(named) > 0 {
		candidates = append(candidates, named)
	}
	candidates = append(candidates, []string{"cc"}, []string{"gcc"}, []string{"clang"})
	if prefix, known := crossCompilers[runtime.GOOS+"/"+runtime.GOARCH]; known {
		candidates = append(candidates, []string{prefix + "gcc"})
	}
	if runtime.GOARCH == "386" {
		candidates = append(candidates, []string{"cc", "-m32"}, []string{"gcc", "-m32"}, []string{"clang", "-m32"})
	}
	return candidates
}

// What a compiler for each system and processor predefines.
var (
	systemMacros = map[string]string{
		"darwin": "__APPLE__", "freebsd": "__FreeBSD__", "linux": "__linux__", "netbsd": "__NetBSD__", "windows": "_WIN32",
	}
	processorMacros = map[string]string{
		"386": "__i386__", "amd64": "__x86_64__", "arm": "__arm__", "arm64": "__aarch64__", "loong64": "__loongarch__",
		"ppc64le": "__powerpc64__", "riscv64": "__riscv", "s390x": "__s390x__",
	}
)

// tryCompiler builds a library that exists only for the running system.
func tryCompiler(command []string) (compiler, error) {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return compiler{}, err
	}
	folder, err := os.MkdirTemp("", "uform-compiler-")
	if err != nil {
		return compiler{}, err
	}
	defer os.RemoveAll(folder)
	source := filepath.Join(folder, "probe.c")
	text := fmt.Sprintf("#if !defined(%s) || !defined(%s)\n#error another target\n#endif\n#include <math.h>\n#include <stdint.h>\nint probe;\n",
		systemMacros[runtime.GOOS], processorMacros[runtime.GOARCH])
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return compiler{}, err
	}
	tried := compiler{command: append([]string{program}, command[1:]...)}
	if err := tried.build(filepath.Join(folder, "probe"), source); err != nil {
		return compiler{}, err
	}
	version, err := exec.Command(program, slices.Concat(command[1:], []string{"--version"})...).CombinedOutput()
	if err != nil {
		return compiler{}, err
	}
	tried.ffmpeg = tried.findFFmpeg(folder)
	tried.identity = strings.Join(append(tried.command, tried.ffmpeg...), " ") + "\n" + string(version)
	return tried, nil
}

// findFFmpeg asks pkg-config, as the Makefile of the library does, and then the compiler, which may
// be for another processor.
func (compiler compiler) findFFmpeg(folder string) []string {
	said, err := exec.Command("pkg-config", "--cflags", "--libs", "libavformat libavcodec >= 59.37 libavutil").Output()
	if err != nil {
		return nil
	}
	source := filepath.Join(folder, "ffmpeg.c")
	text := "#include <libavformat/avformat.h>\nunsigned ffmpeg(void) { return avformat_version() + avcodec_version() + avutil_version(); }\n"
	arguments := append([]string{"-DUFORM_FFMPEG"}, strings.Fields(string(said))...)
	if os.WriteFile(source, []byte(text), 0o600) != nil ||
		compiler.build(filepath.Join(folder, "ffmpeg"), append([]string{source, "-Wl,--no-undefined"}, arguments...)...) != nil {
		return nil
	}
	return arguments
}

// flags are those of every shared library.
func flags() []string {
	flags := []string{"-std=c11", "-O2", "-shared", "-DUFORM_BUILD_SHARED", "-fvisibility=hidden"}
	if runtime.GOOS != "windows" { // where every library can be loaded anywhere, and gcc warns
		flags = append(flags, "-fPIC")
	}
	return flags
}

// libraries come after the sources.
func libraries() []string { return []string{"-lm", "-lpthread"} }

// build makes a shared library. The error holds what the compiler said.
func (compiler compiler) build(output string, arguments ...string) error {
	command := append(append(append([]string{}, compiler.command[1:]...), flags()...), "-o", output)
	command = append(append(command, arguments...), libraries()...)
	said, err := exec.Command(compiler.command[0], command...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", compiler.command[0], strings.Join(command, " "), err, said)
	}
	return nil
}
