package tokenizer_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

// goldenTexts are those of testdata/golden.py.
func goldenTexts(t testing.TB) (texts [][]byte) {
	data, err := os.ReadFile("testdata/texts.gz")
	require.NoError(t, err)
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	data, err = io.ReadAll(zipped)
	require.NoError(t, err)
	for len(data) > 0 {
		end := 4 + binary.LittleEndian.Uint32(data)
		texts = append(texts, data[4:end])
		data = data[end:]
	}
	return texts
}

// small are the tokenizers of testdata/train.py.
func small(t testing.TB) (names []string) {
	paths, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 16)
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return names
}

func load(t testing.TB, name string) *tokenizer.Tokenizer {
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	tok, err := tokenizer.Parse(t.Context(), data)
	require.NoError(t, err)
	return tok
}

// smallPieces are the folders of testdata/pieces.py.
func smallPieces(t testing.TB) (names []string) {
	paths, err := filepath.Glob("testdata/pieces/*/tokenizer_config.json")
	require.NoError(t, err)
	require.Len(t, paths, 6)
	for _, path := range paths {
		names = append(names, "pieces/"+filepath.Base(filepath.Dir(path)))
	}
	return names
}

func TestGolden(t *testing.T) {
	texts := goldenTexts(t)
	for _, name := range append(small(t), smallPieces(t)...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden, err := os.ReadFile(filepath.Join("testdata", name+".golden"))
			require.NoError(t, err)
			var tok *tokenizer.Tokenizer
			if strings.HasPrefix(name, "pieces/") {
				tok, err = tokenizer.Load(t.Context(), os.DirFS("testdata"), name)
				require.NoError(t, err)
			} else {
				tok = load(t, name)
			}
			var scratch tokenizer.Scratch
			var ids []int32
			hash := fnv.New32a()
			encode := func(text []byte) {
				var covered int
				ids, covered, err = tok.Encode(&scratch, ids[:0], text, 0)
				if err != nil || covered != len(text) {
					t.Fatalf("%q: %d bytes, %v", text, covered, err)
				}
				_, _ = hash.Write(bytesOf([]int32{int32(len(ids))}))
				_, _ = hash.Write(bytesOf(ids))
			}
			next := func() uint32 {
				want := binary.LittleEndian.Uint32(golden)
				golden = golden[4:]
				return want
			}
			for _, text := range texts {
				hash.Reset()
				encode(text)
				if next() != hash.Sum32() {
					t.Errorf("%+q: %v", text, ids)
				}
			}
			count := 0
			hash.Reset()
			var point []byte
			for c := rune(0); c <= utf8.MaxRune; c++ {
				if !utf8.ValidRune(c) {
					continue
				}
				point = utf8.AppendRune(point[:0], c)
				encode(point)
				if count++; count%1024 == 0 {
					if next() != hash.Sum32() {
						t.Errorf("one of the 1024 code points up to %U", c)
					}
					hash.Reset()
				}
			}
			require.Empty(t, golden)
		})
	}
}
