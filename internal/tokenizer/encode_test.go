package tokenizer_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

func TestMax(t *testing.T) {
	for _, name := range small(t) {
		t.Run(name, func(t *testing.T) {
			tok := load(t, name)
			var scratch tokenizer.Scratch
			around, _, err := tok.Encode(&scratch, nil, nil, 0)
			require.NoError(t, err)
			for _, text := range goldenTexts(t)[:400] {
				whole, _, err := tok.Encode(&scratch, []int32{}, text, 0)
				require.NoError(t, err)
				for _, limit := range []int{len(around), len(around) + 1, len(around) + 2, len(whole) - 1, len(whole), len(whole) + 1} {
					if limit < max(len(around), 1) {
						continue
					}
					ids, covered, err := tok.Encode(&scratch, []int32{-7}, text, limit)
					require.NoError(t, err)
					require.Equal(t, int32(-7), ids[0])
					ids = ids[1:]
					if limit >= len(whole) {
						require.Equal(t, whole, ids)
						require.Equal(t, len(text), covered)
						continue
					}
					require.Len(t, ids, limit)
					require.LessOrEqual(t, covered, len(text))
					if limit == len(around) {
						require.Zero(t, covered)
					}
					// The special tokens stay, and the others are the first of the whole.
					after := 0
					for after < len(around) && whole[len(whole)-1-after] == ids[len(ids)-1-after] {
						after++
					}
					require.Equal(t, whole[:limit-after], ids[:limit-after])
				}
			}
		})
	}
}

func TestCovered(t *testing.T) {
	tok := load(t, "bert-uncased")
	var scratch tokenizer.Scratch
	for _, row := range []struct {
		text    string
		max     int
		covered int
	}{
		{"a b c d", 4, 3}, {"a b c d", 5, 5}, {"a b c d", 6, 7}, {"  a  b  ", 3, 3}, {"  a  b  ", 4, 8},
		{"é é", 3, 2}, {"e\u0301 é", 3, 1}, {"a [MASK] b", 4, 8}, {"a b", 2, 0},
	} {
		ids, covered, err := tok.Encode(&scratch, nil, []byte(row.text), row.max)
		require.NoError(t, err)
		require.Equal(t, row.covered, covered, "%q %v", row.text, ids)
	}
	_, _, err := tok.Encode(&scratch, nil, []byte("a"), 1)
	require.ErrorContains(t, err, "no room")
}

func TestNotUTF8(t *testing.T) {
	var scratch tokenizer.Scratch
	for _, name := range small(t) {
		for _, text := range []string{"\xff", "abc\xc3", "\xed\xa0\x80", "\uFFFD\xf8"} {
			_, _, err := load(t, name).Encode(&scratch, nil, []byte(text), 0)
			require.ErrorContains(t, err, "not UTF-8 at byte")
		}
	}
}

func TestConcurrent(t *testing.T) {
	texts := goldenTexts(t)[:300]
	for _, name := range small(t) {
		tok := load(t, name)
		var all sync.WaitGroup
		results := make([][]int32, 4)
		for i := range results {
			all.Go(func() {
				var scratch tokenizer.Scratch
				for _, text := range texts {
					results[i], _, _ = tok.Encode(&scratch, results[i], text, 64)
				}
			})
		}
		all.Wait()
		for _, result := range results {
			require.Equal(t, results[0], result)
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	texts := goldenTexts(t)
	for _, name := range small(t) {
		tok := load(t, name)
		var scratch tokenizer.Scratch
		var ids []int32
		encode := func() {
			for _, text := range texts[:500] {
				ids, _, _ = tok.Encode(&scratch, ids[:0], text, 0)
				ids, _, _ = tok.Encode(&scratch, ids[:0], text, 8)
			}
		}
		for range 4 { // the two buffers of a scratch change places
			encode()
		}
		require.Zero(t, testing.AllocsPerRun(1, encode), name)
	}
}

// TestLong is about texts that make slow what is not linear. A hundred times the length may take no
// more than some thousand times as long, which only an algorithm that is far from linear does.
func TestLong(t *testing.T) {
	for _, name := range small(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tok := load(t, name)
			for _, part := range []string{"a", "ab", " ", "the ", "é", "e\u0301", "\u0301", "你", "'", "\n ", "<mask>", "[MASK] ", "👨\u200d", "🇩", "\u0915\u094d",
				"1", "\u1100", "\u2581", "<", "<mask"} {
				text := []byte(strings.Repeat(part, 100_000/len(part)))
				start := time.Now()
				var scratch tokenizer.Scratch
				ids, covered, err := tok.Encode(&scratch, nil, text, 0)
				require.NoError(t, err)
				require.Equal(t, len(text), covered)
				require.LessOrEqual(t, len(ids), len(text)*6+4)
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("%q takes %v", part, took)
				}
			}
		})
	}
}

func TestLoadVocabularies(t *testing.T) {
	var scratch tokenizer.Scratch
	bert := load(t, "bert-uncased")
	var lines []string
	for id := range bert.Size() {
		for token, known := range tokenizer.IDs(bert) {
			if int(known) == id {
				lines = append(lines, token)
			}
		}
	}
	folder := fstest.MapFS{"m/vocab.txt": {Data: []byte(strings.Join(lines, "\n") + "\n")}}
	read, err := tokenizer.Load(t.Context(), folder, "m")
	require.NoError(t, err)
	require.Equal(t, "WordPiece", read.Kind())
	require.Equal(t, bert.Size(), read.Size())
	for _, text := range goldenTexts(t) {
		want, _, err := bert.Encode(&scratch, nil, text, 0)
		require.NoError(t, err)
		got, _, err := read.Encode(&scratch, nil, text, 0)
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", text)
	}
	folder["m/tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"tokenizer_class": "T5Tokenizer"}`)}
	_, err = tokenizer.Load(t.Context(), folder, "m")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "T5Tokenizer")
	_, err = tokenizer.Load(t.Context(), fstest.MapFS{"spiece.model": {Data: []byte("x")}}, ".")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = tokenizer.Load(t.Context(), fstest.MapFS{}, ".")
	require.ErrorIs(t, err, os.ErrNotExist)
	whole, err := os.ReadFile("testdata/bert-cased.json")
	require.NoError(t, err)
	read, err = tokenizer.Load(t.Context(), fstest.MapFS{"tokenizer.json": {Data: whole}}, ".")
	require.NoError(t, err)
	require.Equal(t, load(t, "bert-cased").Size(), read.Size())
}

func FuzzEncode(f *testing.F) {
	for _, text := range goldenTexts(f)[:90] {
		f.Add(text, 10)
	}
	var all []*tokenizer.Tokenizer
	for _, name := range small(f) {
		all = append(all, load(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		var scratch tokenizer.Scratch
		for _, tok := range all {
			whole, covered, err := tok.Encode(&scratch, nil, text, 0)
			if err != nil {
				continue
			}
			require.Equal(t, len(text), covered)
			for _, id := range whole {
				require.True(t, id >= 0 && int(id) < tok.Size())
			}
			ids, covered, err := tok.Encode(&scratch, nil, text, limit)
			if err == nil && limit > 0 {
				require.LessOrEqual(t, len(ids), limit)
				require.LessOrEqual(t, covered, len(text))
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	names := small(b)
	lines := goldenTexts(b)
	lines = lines[len(lines)-1000:]
	if path := os.Getenv("TOKENIZER_LINES"); path != "" {
		data, err := os.ReadFile(path)
		require.NoError(b, err)
		lines = bytes.Split(data, []byte("\n"))
		every := max(1, len(lines)/5000) // as testdata/speed.py takes them
		for i := range 5000 {
			lines[i] = lines[i*every]
		}
		lines = lines[:5000]
	}
	if path := os.Getenv("TOKENIZER_FILE"); path != "" {
		names = []string{strings.TrimSuffix("../../"+path, ".json")}
	}
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			tok := load(b, name)
			var scratch tokenizer.Scratch
			var ids []int32
			tokens := 0
			for b.Loop() {
				for _, line := range lines {
					ids, _, _ = tok.Encode(&scratch, ids[:0], line, 0)
					tokens += len(ids)
				}
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
		})
	}
}
