package tokenizer_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

// message writes fields of a protocol buffer.
type message []byte

func (m message) number(field, value uint64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, field<<3), value)
}

func (m message) bytes(field uint64, content []byte) message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, field<<3|2), uint64(len(content))), content...)
}

func (m message) piece(text string, score float32, kind uint64) message {
	p := message(nil).bytes(1, []byte(text))
	p = binary.LittleEndian.AppendUint32(append(p, 2<<3|5), math.Float32bits(score))
	return m.bytes(1, p.number(3, kind))
}

// smallModel has the pieces that every class needs, and a kind of model.
func smallModel(model uint64) message {
	return message(nil).piece("<unk>", 0, 2).piece("<s>", 0, 3).piece("</s>", 0, 3).piece("\u2581a", -1, 1).piece("b", -2, 1).
		piece("\u2581", -3, 1).piece("a", -3, 1).bytes(2, message(nil).number(3, model))
}

// pieceFolder is a folder of a class with a model.
func pieceFolder(class, name string, model []byte) fstest.MapFS {
	return fstest.MapFS{
		"tokenizer_config.json": {Data: []byte(`{"tokenizer_class": "` + class + `"}`)},
		name:                    {Data: model},
	}
}

// TestPieces loads the least models, and folders that say the class in another way.
func TestPieces(t *testing.T) {
	encode := func(files fstest.MapFS, text string) []int32 {
		tok, err := tokenizer.Load(t.Context(), files, ".")
		require.NoError(t, err)
		ids, covered, err := tok.Encode(new(tokenizer.Scratch), nil, []byte(text), 0)
		require.NoError(t, err)
		require.Equal(t, len(text), covered)
		return ids
	}
	const text = "a \u00e9b"
	xlm := pieceFolder("XLMRobertaTokenizer", "sentencepiece.bpe.model", smallModel(1))
	want := []int32{0, 4, 6, 3, 5, 2}
	require.Equal(t, want, encode(xlm, text))
	delete(xlm, "tokenizer_config.json")
	xlm["config.json"] = &fstest.MapFile{Data: []byte(`{"model_type": "xlm-roberta"}`)}
	require.Equal(t, want, encode(xlm, text))
	xlm["config.json"] = &fstest.MapFile{Data: []byte(`{"tokenizer_class": "XLMRobertaTokenizerFast"}`)}
	require.Equal(t, want, encode(xlm, text))

	// The mask takes the spaces before it only where the folder says so.
	require.Equal(t, []int32{0, 4, 6, 8, 2}, encode(xlm, "a \u2581<mask>"))
	xlm["special_tokens_map.json"] = &fstest.MapFile{Data: []byte(`{"mask_token": {"content": "<mask>", "lstrip": true}}`)}
	require.Equal(t, []int32{0, 4, 8, 2}, encode(xlm, "a  <mask>"))
	xlm["added_tokens.json"] = &fstest.MapFile{Data: []byte(`{"!": 9}`)}
	require.Equal(t, []int32{0, 4, 9, 4, 2}, encode(xlm, "a!a"))

	xlm["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"extra_special_tokens": {}, "additional_special_tokens": null}`)}
	require.Equal(t, []int32{0, 4, 9, 4, 2}, encode(xlm, "a!a"))
	xlm["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"extra_special_tokens": {"image_token": "!"}}`)}
	_, err := tokenizer.Load(t.Context(), xlm, ".")
	require.ErrorIs(t, err, errors.ErrUnsupported)

	siglip := pieceFolder("SiglipTokenizer", "spiece.model", smallModel(1))
	require.Equal(t, []int32{3, 4, 2}, encode(siglip, "A(b). "), "lowered, without punctuation")
	require.Equal(t, []int32{5, 3, 2}, encode(siglip, "  a"), "a mark before the text, and one for its spaces")
	require.Equal(t, []int32{3, 2}, encode(siglip, "a</s>"), "the end token is not written twice")
}

// TestPiecesThatAreRefused is about models that are broken, hostile, or of a kind that is not
// there.
func TestPiecesThatAreRefused(t *testing.T) {
	small := slices.Clip(smallModel(1))
	long := strings.Repeat("x", 1000)
	squares := smallModel(2)
	for i := range 2000 {
		squares = squares.piece(long+strconv.Itoa(i), 0, 1)
	}
	many := smallModel(1)
	for range 1 << 21 {
		many = append(many, 10, 0)
	}
	const xlm, siglip, llama = "XLMRobertaTokenizer sentencepiece.bpe.model", "SiglipTokenizer spiece.model", "LlamaTokenizer tokenizer.model"
	for name, c := range map[string]struct {
		class       string
		model       []byte
		unsupported bool
		names       string
	}{
		"no class":            {" spiece.model", small, true, "spiece.model"},
		"another class":       {"AlbertTokenizer spiece.model", small, true, "AlbertTokenizer"},
		"empty":               {xlm, nil, false, "unk_id is 0 of 0"},
		"another format":      {xlm, []byte("not a model of SentencePiece"), false, "wire type"},
		"field 0":             {xlm, []byte{0, 0}, false, "no field"},
		"a group":             {xlm, []byte{11, 12}, false, "wire type 3"},
		"cut off":             {xlm, small[:len(small)-1], false, "bytes of"},
		"a length that wraps": {xlm, append([]byte{10}, binary.AppendUvarint(nil, math.MaxUint64)...), false, "bytes of"},
		"a number too long":   {xlm, []byte{16, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, false, "cut off"},
		"pieces of numbers":   {xlm, message(nil).number(1, 1), false, "wire type"},
		"not UTF-8":           {xlm, small.piece("\xff", 0, 1), false, "UTF-8"},
		"a score NaN":         {xlm, small.piece("c", float32(math.NaN()), 1), false, "NaN"},
		"a score infinite":    {xlm, small.piece("c", float32(math.Inf(-1)), 1), false, "Inf"},
		"a type of piece":     {xlm, small.piece("c", 0, 7), true, "type 7"},
		"twice":               {xlm, small.piece("b", 0, 1), false, "twice"},
		"twice in BPE":        {llama, smallModel(2).piece("b", 0, 1), false, "twice"},
		"words":               {xlm, smallModel(3), true, "model_type 3"},
		"BPE for XLM-R":       {xlm, smallModel(2), true, "model_type 2"},
		"unigram for Llama":   {llama, small, true, "model_type 1"},
		"BPE for SigLIP":      {siglip, smallModel(2), true, "model_type 2"},
		"unk_id past the end": {siglip, small.bytes(2, message(nil).number(40, 7)), false, "unk_id is 7"},
		"unk_id negative":     {siglip, small.bytes(2, message(nil).number(40, math.MaxUint64)), false, "unk_id is -1"},
		"spaces that stay":    {siglip, small.bytes(3, message(nil).number(4, 0)), true, "spaces"},
		"user-defined":        {siglip, small.piece("cat", 0, 4), true, "cat"},
		"a map of nothing":    {siglip, small.bytes(3, message(nil).bytes(2, []byte{1, 2, 3})), false, "map of 3 bytes"},
		"a map that lies":     {xlm, small.bytes(3, message(nil).bytes(2, []byte{255, 255, 255, 127, 0, 0, 0, 0})), false, "map of"},
		"long pieces":         {llama, squares, true, "pieces as long"},
		"many pieces":         {xlm, many, true, "pieces"},
		"1 GB":                {xlm, append(small.piece("c", 0, 1), 0x7A, 0x80, 0x80, 0x80, 0x80, 0x04), false, "1073741824 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			class, file, _ := strings.Cut(c.class, " ")
			begin := time.Now()
			_, err := tokenizer.Load(t.Context(), pieceFolder(class, file, c.model), ".")
			require.ErrorContains(t, err, c.names)
			require.Equal(t, c.unsupported, errors.Is(err, errors.ErrUnsupported), "%v", err)
			require.Less(t, time.Since(begin), 20*time.Second)
		})
	}
	_, err := tokenizer.Load(t.Context(), pieceFolder("T5Tokenizer", "tokenizer.model", small), ".")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "spiece.model")
}

func FuzzPieces(f *testing.F) {
	classes := map[string]string{"XLMRobertaTokenizer": "sentencepiece.bpe.model", "CamembertTokenizer": "sentencepiece.bpe.model",
		"T5Tokenizer": "spiece.model", "SiglipTokenizer": "spiece.model", "LlamaTokenizer": "tokenizer.model"}
	f.Add([]byte(smallModel(1)))
	f.Add([]byte(smallModel(2).piece("ab", 0, 1).piece("<0x41>", 0, 6)))
	for _, name := range []string{"siglip/spiece.model", "llama/tokenizer.model"} {
		data, err := os.ReadFile(filepath.Join("testdata/pieces", name))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for class, name := range classes {
			tok, err := tokenizer.Load(t.Context(), pieceFolder(class, name, data), ".")
			if err != nil {
				continue
			}
			var scratch tokenizer.Scratch
			for _, text := range []string{"", "a b", "Ab 12\n<mask> e\u0301 \u4f60\u2581 </s>"} {
				ids, covered, err := tok.Encode(&scratch, nil, []byte(text), 0)
				if err != nil {
					continue
				}
				require.Equal(t, len(text), covered)
				for _, id := range ids {
					require.True(t, id >= 0 && int(id) < tok.Size(), "%d of %d", id, tok.Size())
				}
				_, _, _ = tok.Encode(&scratch, nil, []byte(text), 3)
			}
		}
	})
}
