package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const repository = "../.."

// headerText is the committed header.
func headerText(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "abi", headerName))
	require.NoError(t, err)
	return string(text)
}

// alone returns Headers with a single file.
func alone(text string) Headers { return Headers{headerName: []byte(text)} }

// edited returns the committed header with one text in place of another, which occurs once.
func edited(t testing.TB, old, new string) string {
	t.Helper()
	text := headerText(t)
	require.Equal(t, 1, strings.Count(text, old), "the header holds %q not once", old)
	return strings.Replace(text, old, new, 1)
}

// withDeclaration returns the committed header with one more declaration at its end.
func withDeclaration(t testing.TB, declaration string) string {
	t.Helper()
	const end = "/** Sizes any binding can assume"
	return edited(t, end, declaration+"\n"+end)
}

func TestCommittedFilesAreWhatTheHeaderAsksFor(t *testing.T) {
	require.NoError(t, run(repository, true))
}

func TestGenerationIsDeterministic(t *testing.T) {
	first, err := generate(alone(headerText(t)))
	require.NoError(t, err)
	second, err := generate(alone(headerText(t)))
	require.NoError(t, err)
	require.Equal(t, first, second)
	for _, f := range first {
		require.True(t, strings.HasPrefix(string(f.Text), banner), f.Path)
	}
}

// checkout is a repository with nothing but the header and what is generated from it.
func checkout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, folder := range []string{"abi", "errors", "loader"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, folder), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "abi", headerName), []byte(headerText(t)), 0o644))
	require.NoError(t, run(root, false))
	require.NoError(t, run(root, true))
	return root
}

func TestCheckNamesTheFileThatDiffers(t *testing.T) {
	root := checkout(t)
	path := filepath.Join(root, "loader", "register_generated.go")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
	require.ErrorContains(t, run(root, true), "loader/register_generated.go: differs")

	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, run(root, true), os.ErrNotExist)
}

// CI reports a changed header with unchanged files.
func TestCheckNoticesAnotherHeader(t *testing.T) {
	root := checkout(t)
	text := edited(t, "uform_status_peer_k = -11", "uform_status_peer_k = -12")
	require.NoError(t, os.WriteFile(filepath.Join(root, "abi", headerName), []byte(text), 0o644))
	require.ErrorContains(t, run(root, true), "abi/enums_generated.go: differs")
}

// Every construct without a rule ends with an error that names the declaration; none is dropped
// silently.
func TestStrayDeclarationsAreRefused(t *testing.T) {
	for _, test := range []struct{ name, declaration, want string }{
		{"variable", "extern int uform_debug;", "uform_debug: expected a typedef"},
		{"definition", "static int uform_twice(int a) { return 2 * a; }", "neither a declaration nor"},
		{"plain typedef", "typedef int uform_count_t;", "uform_count_t: expected a typedef"},
		{"union", "typedef union uform_any_t { int32_t a; uint32_t b; } uform_any_t;", "uform_any_t"},
		{"two names", "typedef int32_t uform_a_t, uform_b_t;", "expected one name"},
		{"tag only", "struct uform_later_t;", "uform_later_t"},
		{"bit-field", "typedef struct uform_bits_t { uint32_t low : 4; uint32_t high : 28; } uform_bits_t;", "uform_bits_t.low: bit-fields"},
		{"nested", "typedef struct uform_nest_t { struct { int32_t a; } inner; } uform_nest_t;", "uform_nest_t.inner: no rule"},
		{"unnamed", "typedef struct uform_nest_t { struct { int32_t a, b; }; } uform_nest_t;", "uform_nest_t: a field without a name"},
		{"array of int", "typedef struct uform_list_t { int32_t sides[4]; } uform_list_t;", "uform_list_t.sides: only arrays of char"},
		{"flexible array", "typedef struct uform_list_t { int32_t count; char text[]; } uform_list_t;", "uform_list_t.text"},
		{"long", "typedef struct uform_long_t { long count; } uform_long_t;", "uform_long_t.count: no rule for the type long"},
		{"pointer to pointer", "typedef struct uform_far_t { char const **names; } uform_far_t;", "uform_far_t.names: no rule"},
		{"defined handle", "struct uform_open_t { int32_t a; }; typedef struct uform_open_t *uform_seen_t;", "uform_open_t"},
		{"variadic", "UFORM_API int uform_log(char const *format, ...);", "uform_log: a variadic"},
		{"double by value", "UFORM_API void uform_scale(double by);", "uform_scale: parameter 1: float64 by value"},
		{"struct by value", "UFORM_API void uform_show(uform_tape_view_t tape);", "uform_show: parameter 1: TapeView by value"},
		{"64 bits by value", "UFORM_API void uform_seed(uint64_t seed);", "uform_seed: parameter 1: uint64 takes two registers"},
		{"64 bits back", "UFORM_API uint64_t uform_ticks(void);", "uform_ticks: result: uint64 takes two registers"},
		{"pointer back", "UFORM_API uform_outcome_t *uform_last(void);", "uform_last: result: *Outcome"},
		{"handle back", "UFORM_API uform_arena_t uform_arena(void);", "uform_arena: result: Arena"},
		{"unnamed parameter", "UFORM_API void uform_arena_reset(uform_arena_t);", "uform_arena_reset: parameter 1 has no name"},
		{"wide enumerator", "typedef enum uform_big_t { uform_big_one_k = 0x100000000 } uform_big_t;", "uform_big_one_k"},
		{"clash", "typedef enum uform_library_t { uform_library_one_k = 0 } uform_library_t;", "uform_library_t: its Go name Library is taken"},
		{"unknown type", "UFORM_API void uform_file(FILE *file);", "in: UFORM_API void uform_file(FILE *file);"},
		{"assertion", "_Static_assert(sizeof(int) == 3, \"ints are three\");", "ints are three"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := generate(alone(withDeclaration(t, test.declaration)))
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A change of the header is always reported.
func TestChangedHeadersAreRefused(t *testing.T) {
	const choices = "    /** The bytes each item may choose from. */\n"
	for _, test := range []struct{ name, old, new, want string }{
		{"field more", choices, "    size_t limit;\n" + choices, "uform_text_choose_t"},
		{"field less", "    uint32_t const *question_types;\n", "", "uform_text_choose_t"},
		{"narrow field", "    size_t capacity;", "    uint32_t capacity;", "uform_gpu_devices_t.count: 4 bytes of implicit padding"},
		{"tail", "    double loss, gradient_norm;\n", "    double loss; uint32_t gradient_norm;\n", "uform_trainer_stats_t"},
		{
			"function less", "UFORM_API void uform_model_free(uform_model_t model);", "",
			"32 functions, expected 33; the last is uform_trainer_free",
		},
		{"version", "#define UFORM_VERSION_PATCH 0", "", "UFORM_VERSION_PATCH: not defined"},
		{"version text", "#define UFORM_VERSION_PATCH 0", "#define UFORM_VERSION_PATCH \"a\"", "UFORM_VERSION_PATCH"},
		{"export", "#if !defined(UFORM_API)", "#undef UFORM_API\n#define _WIN32 1\n#if !defined(UFORM_API)", "Declspec"},
		{"same name", "uform_status_peer_k", "uform_status_i_o_k", "uform_status_i_o_k: its Go name StatusIO is taken by uform_status_io_k"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := generate(alone(edited(t, test.old, test.new)))
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A declaration that the rules cover changes the counts and nothing else.
func TestOneMoreDeclarationIsCounted(t *testing.T) {
	for _, test := range []struct{ declaration, want string }{
		{
			"UFORM_API void uform_arena_reset(uform_arena_t arena);",
			"34 functions, expected 33; the last is uform_arena_reset. If that is meant, change wantFunctions",
		},
		{
			"typedef struct uform_pair_t { uint32_t a, b; } uform_pair_t;",
			"29 structs, expected 28; the last is uform_pair_t",
		},
		{
			"typedef enum uform_side_t { uform_side_left_k = 0 } uform_side_t;",
			"9 enums, expected 8; the last is uform_side_t",
		},
	} {
		_, err := generate(alone(withDeclaration(t, test.declaration)))
		require.ErrorContains(t, err, test.want)
	}
}

func TestAHeaderWithoutStatusesIsRefused(t *testing.T) {
	_, err := generate(alone(strings.ReplaceAll(headerText(t), statusEnum, "uform_result_t")))
	require.ErrorContains(t, err, "uform_status_t: the header has no such enumeration")
}

func TestAMissingHeaderIsAnError(t *testing.T) {
	require.ErrorIs(t, run(t.TempDir(), false), os.ErrNotExist)
}

// A header that is cut short anywhere is refused. In some places the parser alone would wait for
// more.
func TestBrokenOffHeadersAreRefused(t *testing.T) {
	text := headerText(t)
	last := strings.Index(text, "UFORM_API void uform_trainer_free")
	require.Positive(t, last)
	for end := 0; end < last; end += 1999 {
		_, err := generate(alone(text[:end]))
		require.Error(t, err, "after %d bytes, at %q", end, text[max(0, end-40):end])
	}
	for _, text := range []string{"*", "\"o ", "/*", "typedef struct", "extern int f(", "#if", "#define UFORM_API(", "\x00"} {
		_, err := generate(alone(text))
		require.Error(t, err, text)
	}
}

// A header may be several files that include each other, by either form of #include.
func TestAHeaderOfSeveralFiles(t *testing.T) {
	text := headerText(t)
	first, err := generate(alone(text))
	require.NoError(t, err)
	middle := strings.Index(text, "/* -------------------- Types")
	start := strings.Index(text, "/* -------------------- Errors")
	end := strings.LastIndex(text, "/** Sizes any binding can assume")
	headers := Headers{
		headerName:       []byte(text[:start] + "#include \"uform/types.h\"\n" + text[end:]),
		"uform/errors.h": []byte("#ifndef ERRORS\n#define ERRORS\n#include <uform/types.h>\n" + text[start:middle] + "#endif\n"),
		"uform/types.h":  []byte("#ifndef TYPES\n#define TYPES\n#include \"errors.h\"\n" + text[middle:end] + "#endif\n"),
	}
	second, err := generate(headers)
	require.NoError(t, err)
	require.Equal(t, first, second)

	headers["uform/types.h"] = []byte(strings.Replace(string(headers["uform/types.h"]), "size_t count;", "long count;", 1))
	_, err = generate(headers)
	require.ErrorContains(t, err, "uform/types.h:")
	delete(headers, "uform/errors.h")
	_, err = generate(headers)
	require.ErrorContains(t, err, "errors.h")
}

// A name that changes in C needs one line in the table of names, and changes nothing else in Go.
func TestANameMayChangeInCAlone(t *testing.T) {
	headers := alone(strings.ReplaceAll(headerText(t), "uform_text_choose", "uform_text_select"))
	for _, test := range []struct{ table, want string }{
		{"", "TextSelect "}, {"# names\nuform_text_select\tTextChoose\nuform_text_select_t\tTextChoose\n", "TextChoose "},
	} {
		headers[namesName] = []byte(test.table)
		files, err := generate(headers)
		require.NoError(t, err)
		for _, f := range files {
			if f.Path == "abi/table_generated.go" {
				require.Contains(t, string(f.Text), "\t"+test.want+"func(")
				require.Contains(t, string(f.Text), "uform_text_select")
			}
		}
	}
	for _, table := range []string{"uform_text_select TextChoose\n", "a\tb\n", "a\t\n", "uform_none_t\tNone\n"} {
		headers[namesName] = []byte(table)
		_, err := generate(headers)
		require.ErrorContains(t, err, namesName)
	}
}
