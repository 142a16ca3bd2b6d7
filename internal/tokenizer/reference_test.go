package tokenizer_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

// TestReference compares with what testdata/compare.py wrote, in a folder that the environment
// names: for each NAME.ids there the tokenizer NAME.json, or that of the folder NAME.
func TestReference(t *testing.T) {
	folder := os.Getenv("TOKENIZER_REFERENCE")
	if folder == "" {
		t.Skip("TOKENIZER_REFERENCE names no folder with what testdata/compare.py wrote")
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.ids"))
	require.NoError(t, err)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			name := strings.TrimSuffix(name, ".ids")
			tok, err := tokenizer.Load(t.Context(), os.DirFS(folder), filepath.Base(name))
			if _, failed := os.Stat(name + ".json"); failed == nil {
				var data []byte
				data, err = os.ReadFile(name + ".json")
				require.NoError(t, err)
				tok, err = tokenizer.Parse(t.Context(), data)
			}
			require.NoError(t, err)
			file, err := os.Open(name + ".ids")
			require.NoError(t, err)
			defer func() { require.NoError(t, file.Close()) }()
			compare(t, tok, bufio.NewReaderSize(file, 1<<20))
		})
	}
}

// compare checks the ids of all texts.
func compare(t *testing.T, tok *tokenizer.Tokenizer, golden io.Reader) {
	var scratch tokenizer.Scratch
	var ids []int32
	var text, numbers []byte
	texts, tokens, different := 0, 0, 0
	number := func() (int, bool) {
		var bytes [4]byte
		_, err := io.ReadFull(golden, bytes[:])
		if err == io.EOF {
			return 0, false
		}
		require.NoError(t, err)
		return int(binary.LittleEndian.Uint32(bytes[:])), true
	}
	for {
		length, ok := number()
		if !ok {
			break
		}
		text = append(text[:0], make([]byte, length)...)
		_, err := io.ReadFull(golden, text)
		require.NoError(t, err)
		count, _ := number()
		numbers = append(numbers[:0], make([]byte, 4*count)...)
		_, err = io.ReadFull(golden, numbers)
		require.NoError(t, err)
		want := make([]int32, count)
		for i := range want {
			want[i] = int32(binary.LittleEndian.Uint32(numbers[4*i:]))
		}
		got, covered, err := tok.Encode(&scratch, ids[:0], text, 0)
		ids = got
		texts, tokens = texts+1, tokens+count
		if err != nil || covered != length || string(bytesOf(got)) != string(numbers) {
			if different++; different <= 10 {
				t.Errorf("%q (%+q):\n got %v %v\nwant %v", text, text, got, err, want)
			}
		}
	}
	require.NotZero(t, texts)
	t.Logf("%d texts, %d tokens, %d different", texts, tokens, different)
}

func bytesOf(ids []int32) (bytes []byte) {
	for _, id := range ids {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(id))
	}
	return bytes
}
