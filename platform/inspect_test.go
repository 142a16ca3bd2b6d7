package platform_test

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/platform"
)

// small is a library for the running system with one function, as a path.
func small(t testing.TB) string {
	t.Helper()
	path := filepath.Join(loadertest.Folder(t), platform.LibraryNames()[0])
	loadertest.Compile(t, path, filepath.Join("testdata", "small.c"))
	return path
}

func TestInspect(t *testing.T) {
	require.NoError(t, platform.Inspect(small(t)))
	program, err := os.Executable()
	require.NoError(t, err)
	for name, test := range map[string]struct{ path, reason string }{
		"program":     {program, "not a shared library"},
		"folder":      {t.TempDir(), "not a regular file"},
		"missing":     {filepath.Join(t.TempDir(), "missing"), ""},
		"empty file":  {writeFile(t, nil), "empty"},
		"one byte":    {writeFile(t, []byte{0x7f}), "starts with"},
		"text":        {writeFile(t, []byte("INPUT(-luform)")), `it starts with "INPUT(-luform)"`},
		"static":      {writeFile(t, []byte("!<arch>\nuform.o/")), "static"},
		"empty name":  {"", ""},
		"headed only": {writeFile(t, []byte("\x7fELF")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := platform.Inspect(test.path)
			require.ErrorContains(t, err, test.reason)
			require.ErrorContains(t, err, test.path)
		})
	}
}

// A library is accepted whole and in no shorter form, wherever it is cut.
func TestInspectTruncated(t *testing.T) {
	whole, err := os.ReadFile(small(t))
	require.NoError(t, err)
	require.NoError(t, platform.InspectBytes(whole, runtime.GOOS, runtime.GOARCH))
	for cut := range whole {
		require.Error(t, platform.InspectBytes(whole[:cut], runtime.GOOS, runtime.GOARCH), "cut to %d of %d bytes", cut, len(whole))
	}
	require.ErrorContains(t, platform.InspectBytes(whole[:len(whole)/2], runtime.GOOS, runtime.GOARCH), "truncated")
	require.ErrorContains(t, platform.InspectBytes(whole[:len(whole)-1], runtime.GOOS, runtime.GOARCH), "truncated")
}

// Libraries for other systems, made by compilers that know nothing of this package.
func TestInspectOtherTargets(t *testing.T) {
	targets := []struct{ goos, goarch, compiler string }{
		{"linux", "386", "i686-linux-gnu-gcc"},
		{"linux", "amd64", "x86_64-linux-gnu-gcc"},
		{"linux", "arm", "arm-linux-gnueabihf-gcc"},
		{"linux", "arm64", "aarch64-linux-gnu-gcc"},
		{"linux", "riscv64", "riscv64-linux-gnu-gcc"},
		{"linux", "s390x", "s390x-linux-gnu-gcc"},
		{"windows", "386", "i686-w64-mingw32-gcc"},
		{"windows", "amd64", "x86_64-w64-mingw32-gcc"},
	}
	tested := 0
	for _, built := range targets {
		if _, err := exec.LookPath(built.compiler); err != nil {
			continue
		}
		tested++
		t.Run(built.goos+"/"+built.goarch, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "library.so")
			said, err := exec.Command(built.compiler, "-shared", "-fPIC", "-o", path, filepath.Join("testdata", "small.c")).CombinedOutput()
			require.NoError(t, err, "%s", said)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, running := range targets {
				err := platform.InspectBytes(data, running.goos, running.goarch)
				switch {
				case built == running:
					require.NoError(t, err)
				case built.goos != running.goos:
					require.ErrorContains(t, err, "kind, but "+running.goos)
				default:
					require.EqualError(t, err, "built for "+built.goarch+", but this process runs on "+running.goarch)
				}
			}
			require.ErrorContains(t, platform.InspectBytes(data, "darwin", "arm64"), "kind, but darwin loads the Mach-O kind")
			for _, cut := range []int{1, 17, 60, 63, 64, 130, 400, len(data) / 2, len(data) * 3 / 4, len(data) - 1} {
				require.Error(t, platform.InspectBytes(data[:cut], built.goos, built.goarch), cut)
			}
		})
	}
	if tested == 0 {
		t.Skip("no cross compiler on this machine")
	}
}

// machoLibrary is the least Mach-O file with one segment of 16 bytes behind its commands.
func machoLibrary(order binary.ByteOrder, processor macho.Cpu, kind macho.Type) []byte {
	var file bytes.Buffer
	segment := macho.Segment64{Cmd: macho.LoadCmdSegment64, Len: 72, Name: [16]byte{'_', '_', 'T', 'E', 'X', 'T'}, Memsz: 16, Offset: 104, Filesz: 16}
	header := macho.FileHeader{Magic: macho.Magic64, Cpu: processor, Type: kind, Ncmd: 1, Cmdsz: segment.Len}
	for _, part := range []any{header, uint32(0), segment, [16]byte{}} {
		if err := binary.Write(&file, order, part); err != nil {
			panic(err)
		}
	}
	return file.Bytes()
}

// universal joins files as Apple's lipo does.
func universal(processors []macho.Cpu, files ...[]byte) []byte {
	at := 8 + 20*len(files)
	table := binary.BigEndian.AppendUint32(bytes.Clone([]byte{0xca, 0xfe, 0xba, 0xbe}), uint32(len(files)))
	for i, file := range files {
		for _, word := range []uint32{uint32(processors[i]), 0, uint32(at), uint32(len(file)), 0} {
			table = binary.BigEndian.AppendUint32(table, word)
		}
		at += len(file)
	}
	return append(table, bytes.Join(files, nil)...)
}

func TestInspectMachO(t *testing.T) {
	intel := machoLibrary(binary.LittleEndian, macho.CpuAmd64, macho.TypeDylib)
	apple := machoLibrary(binary.LittleEndian, macho.CpuArm64, macho.TypeDylib)
	both := universal([]macho.Cpu{macho.CpuAmd64, macho.CpuArm64}, intel, apple)
	parsed, err := macho.NewFile(bytes.NewReader(intel))
	require.NoError(t, err, "the standard library takes it for a library too")
	require.Equal(t, macho.TypeDylib, parsed.Type)
	_, err = macho.NewFatFile(bytes.NewReader(both))
	require.NoError(t, err)

	for name, test := range map[string]struct {
		file           []byte
		goarch, reason string
	}{
		"intel on intel":     {intel, "amd64", ""},
		"apple on apple":     {apple, "arm64", ""},
		"universal on intel": {both, "amd64", ""},
		"universal on apple": {both, "arm64", ""},
		"bundle":             {machoLibrary(binary.LittleEndian, macho.CpuArm64, macho.TypeBundle), "arm64", ""},
		"intel on apple":     {intel, "arm64", "built for amd64, but this process runs on arm64"},
		"no part for it":     {universal([]macho.Cpu{macho.CpuAmd64, macho.CpuPpc64}, intel, intel), "arm64", "built for amd64 and processor 0x1000012, but"},
		"big endian":         {machoLibrary(binary.BigEndian, macho.CpuPpc64, macho.TypeDylib), "arm64", "built for processor 0x1000012"},
		"program":            {machoLibrary(binary.LittleEndian, macho.CpuArm64, macho.TypeExec), "arm64", "not a shared library"},
		"cut segment":        {apple[:len(apple)-1], "arm64", "truncated: its segment __TEXT takes 16 bytes from 104 on, but the file has 119"},
		"cut command":        {apple[:100], "arm64", "truncated: its load commands"},
		"cut part":           {both[:len(both)-1], "arm64", "truncated: its part for arm64"},
		"Java class":         {[]byte("\xca\xfe\xba\xbe\x00\x00\x00\x41\x00\x10"), "arm64", "no 65 processors"},
		"Linux library":      {[]byte("\x7fELF\x02\x01\x01"), "arm64", "ELF kind, but darwin loads the Mach-O kind"},
	} {
		t.Run(name, func(t *testing.T) {
			err := platform.InspectBytes(test.file, "darwin", test.goarch)
			if test.reason == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.reason)
			}
		})
	}
}

// What is accepted is inside of the file by the standard library's account too.
func FuzzInspect(f *testing.F) {
	systems := []string{"linux", "darwin", "windows"}
	processors := []string{"amd64", "386", "arm64", "s390x"}
	library, err := os.ReadFile(small(f))
	require.NoError(f, err)
	f.Add(library, uint8(0), uint8(0))
	f.Add(library[:len(library)-1], uint8(0), uint8(0))
	f.Add([]byte("MZ"), uint8(2), uint8(0))
	f.Add(machoLibrary(binary.LittleEndian, macho.CpuArm64, macho.TypeDylib), uint8(1), uint8(2))
	f.Add(universal([]macho.Cpu{macho.CpuArm64}, machoLibrary(binary.LittleEndian, macho.CpuArm64, macho.TypeDylib)), uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, system, processor uint8) {
		goos := systems[int(system)%len(systems)]
		err := platform.InspectBytes(data, goos, processors[int(processor)%len(processors)])
		if err != nil || goos != "linux" {
			return
		}
		parsed, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			return // it reads sections, of which a loader needs none
		}
		require.Equal(t, elf.ET_DYN, parsed.Type)
		for _, segment := range parsed.Progs {
			require.LessOrEqual(t, segment.Off+segment.Filesz, uint64(len(data)))
		}
	})
}
