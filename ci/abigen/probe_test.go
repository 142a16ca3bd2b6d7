package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachCompiler runs a test with every C compiler of this machine. A missing one is skipped by name,
// or, where UFORM_REQUIRE_COMPILERS is 1, a failure: CI has to run the proof.
func eachCompiler(t *testing.T, test func(t *testing.T, compiler string)) {
	for _, compiler := range compilers {
		t.Run(compiler, func(t *testing.T) {
			if _, err := exec.LookPath(compiler); err != nil {
				require.NotEqual(t, "1", os.Getenv("UFORM_REQUIRE_COMPILERS"), "%s is not on this machine, and required", compiler)
				t.Skipf("%s is not on this machine", compiler)
			}
			test(t, compiler)
		})
	}
}

// withoutChecks turns the header's own assertions off, which would find a planted fault before the
// probe does.
const withoutChecks = "-DUFORM_NO_LAYOUT_CHECKS"

func TestCompilersAgreeWithTheTable(t *testing.T) {
	source := alone(headerText(t))
	_, table, err := parseAll(source)
	require.NoError(t, err)
	eachCompiler(t, func(t *testing.T, compiler string) {
		machine, measured, err := probeHeader(compiler, source, table)
		require.NoError(t, err)
		require.NoError(t, compare(table, measured, machine))
	})
}

// The golden facts again, from the compilers of this machine.
func TestCompilersAgreeWithTheGoldenFacts(t *testing.T) {
	source := alone(headerText(t))
	_, table, err := parseAll(source)
	require.NoError(t, err)
	want := golden(t)
	eachCompiler(t, func(t *testing.T, compiler string) {
		machine, measured, err := probeHeader(compiler, source, table)
		require.NoError(t, err)
		model, err := modelOf(machine)
		require.NoError(t, err)
		for i, target := range goldenTargets {
			if target.model != model {
				continue
			}
			expected := map[string]int64{}
			for name, numbers := range want {
				expected[name] = numbers[i]
			}
			require.Equal(t, expected, facts(measured, 0), target.name)
		}
	})
}

func TestCompilersFindPlantedFaults(t *testing.T) {
	for _, fault := range planted {
		t.Run(fault.name, func(t *testing.T) {
			_, table, err := parseAll(alone(headerText(t)))
			require.NoError(t, err)
			source := headerText(t)
			if fault.table != nil {
				fault.table(t, table)
			} else {
				source = edited(t, fault.old, fault.new)
			}
			eachCompiler(t, func(t *testing.T, compiler string) {
				machine, measured, err := probeHeader(compiler, alone(source), table, withoutChecks)
				require.NoError(t, err)
				model, err := modelOf(machine)
				require.NoError(t, err)
				err = compare(table, measured, machine)
				if fault.narrow == "" && columns[model].Word == 4 {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, fault.probed)
			})
		})
	}
}

// The header's own assertions find the same: a compiler refuses what the probe would find, unless
// they are turned off.
func TestHeaderAssertsItsOwnLayout(t *testing.T) {
	_, table, err := parseAll(alone(headerText(t)))
	require.NoError(t, err)
	source := edited(t, "    double loss, gradient_norm;\n", "    double loss, gradient_norm, entropy;\n")
	eachCompiler(t, func(t *testing.T, compiler string) {
		_, _, err := probeHeader(compiler, alone(source), table)
		require.ErrorContains(t, err, "Unexpected size of uform_trainer_stats_t")
	})
}

// Padding is found in what a compiler measured, also where the table agrees with it.
func TestPaddingThatTheTableSharesIsFound(t *testing.T) {
	row := func(name string, offset, width int64) Row {
		e := Extent{offset, width}
		return Row{Struct: "uform_any_t", Field: name, Columns: [4]Extent{e, e, e, e}}
	}
	rows := []Row{row("", 0, 16), row("a", 0, 4), row("b", 8, 8)}
	require.ErrorContains(t, compare(rows, rows, "x86_64-linux-gnu"), "uform_any_t.b: 4 bytes of implicit padding")
}

func TestMachinesHaveDataModels(t *testing.T) {
	for _, test := range []struct {
		machine string
		model   string
	}{
		{"x86_64-linux-gnu", "LP64"},
		{"aarch64-linux-gnu", "LP64"},
		{"riscv64-linux-gnu", "LP64"},
		{"powerpc64le-linux-gnu", "LP64"},
		{"loongarch64-linux-gnu", "LP64"},
		{"s390x-linux-gnu", "LP64"},
		{"arm64-apple-darwin24", "LP64"},
		{"x86_64-w64-mingw32", "LLP64"},
		{"aarch64-w64-windows-gnu", "LLP64"},
		{"i686-linux-gnu", "ILP32I386"},
		{"i386-pc-linux-musl", "ILP32I386"},
		{"arm-linux-gnueabihf", "ILP32ARM"},
		{"armv7l-unknown-linux-musleabihf", "ILP32ARM"},
		{"i686-w64-mingw32", "ILP32ARM"},
	} {
		model, err := modelOf(test.machine)
		require.NoError(t, err, test.machine)
		require.Equal(t, test.model, columns[model].Go, test.machine)
	}
	_, err := modelOf("m68k-linux-gnu")
	require.ErrorContains(t, err, "m68k-linux-gnu")
}

func TestReadProbe(t *testing.T) {
	rows := []Row{{Struct: "uform_any_t"}, {Struct: "uform_any_t", Field: "a"}}
	measured, err := readProbe(rows, "\t.text\nPROBE uform_any_t width 8\n#APP\nPROBE uform_any_t.a offset #4\r\nPROBE uform_any_t.a width $4\n")
	require.NoError(t, err)
	require.Equal(t, []Row{
		{Struct: "uform_any_t", Columns: [4]Extent{{0, 8}}},
		{Struct: "uform_any_t", Field: "a", Columns: [4]Extent{{4, 4}}},
	}, measured)

	_, err = readProbe(rows, "PROBE uform_any_t width 8\nPROBE uform_any_t.a width 4\n")
	require.ErrorContains(t, err, "uform_any_t.a: the compiler printed no number")
	_, err = readProbe(rows, "PROBE uform_any_t width 99999999999\n")
	require.ErrorContains(t, err, "width of uform_any_t")
}

func TestAMissingCompilerIsAnError(t *testing.T) {
	_, _, err := probeHeader("no-such-compiler", nil, nil)
	require.ErrorIs(t, err, exec.ErrNotFound)
}

func FuzzReadProbe(f *testing.F) {
	f.Add("PROBE uform_any_t width 8\nPROBE uform_any_t.a offset 4\nPROBE uform_any_t.a width 4\n")
	f.Add("PROBE uform_any_t width -8\n")
	rows := []Row{{Struct: "uform_any_t"}, {Struct: "uform_any_t", Field: "a"}}
	f.Fuzz(func(t *testing.T, assembly string) {
		measured, err := readProbe(rows, assembly)
		if err != nil {
			require.Nil(t, measured)
			return
		}
		require.Len(t, measured, len(rows))
		require.GreaterOrEqual(t, strings.Count(assembly, "PROBE"), 3)
	})
}
