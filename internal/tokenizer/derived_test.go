package tokenizer_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

const smallWordPiece = `{"normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
	"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
	"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
		"vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "cat": 3, "##s": 4}}}`

func TestDerivedTokenizers(t *testing.T) {
	whole, err := tokenizer.Parse(t.Context(), []byte(smallWordPiece))
	require.NoError(t, err)
	encode := func(with *tokenizer.Tokenizer, text string) []int32 {
		ids, covered, err := with.Encode(new(tokenizer.Scratch), nil, []byte(text), 0)
		require.NoError(t, err)
		require.Equal(t, len(text), covered)
		return ids
	}
	require.Equal(t, []int32{1, 3, 4, 0, 2}, encode(whole, "cats Cat"))
	require.Equal(t, []int32{3, 4, 0}, encode(whole.WithoutSpecials(), "cats Cat"))
	require.Equal(t, []int32{1, 3, 4, 3, 2}, encode(whole.Lowercased(), "CATS Cat"))
	require.Equal(t, []int32{3, 3}, encode(whole.Lowercased().WithoutSpecials(), "CAT Cat"))
	require.Equal(t, []int32{1, 0, 2}, encode(whole, "CAT"), "the first is unchanged")

	before, after := whole.Around()
	require.Equal(t, []int32{1}, before)
	require.Equal(t, []int32{2}, after)
	unknown, ok := whole.Unknown()
	require.True(t, ok)
	require.Zero(t, unknown)
	require.Equal(t, map[string]int32{"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "cat": 3, "##s": 4}, maps.Collect(whole.Tokens()))
}
