package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

const wholeConfig = `{
	"format": "uform", "version": 1, "modalities": ["text", "image", "video", "audio"], "context": 1048576, "width": 8192,
	"layers": 256, "heads": 4096, "hidden": 65536, "columns": 8192, "norm_epsilon": 1, "rotary_base": 1e9, "skip": true,
	"grams": {"sizes": [1, 2, 3, 4, 5, 6, 7, 8], "hashes": 4, "buckets": 16777216, "words": true, "fold": true, "within": true},
	"lexical": {"sizes": [8], "buckets": 16777216, "fold": true, "within": true, "columns": 1024, "share": 0.999},
	"image": {"side": 1024, "patch": 128, "mean": [-10, 0, 10], "deviation": [10, 1e-9, 0.25], "background": [0, 255, 7]},
	"video": {"frames": 256},
	"audio": {"rate": 96000, "window": 8192, "hop": 8192, "mels": 256, "low": 0, "high": 48000, "frames": 256, "mean": -100,
		"deviation": 100},
	"decoder": {"question_types": [{"name": "a", "inverse_temperature": 1000}, {"name": "", "inverse_temperature": 1e-9}]},
	"trained": {"by": ["someone", null, 1.5]}}`

const leastConfig = `{"format":"uform","version":1,"modalities":["text"],"context":1,"width":1,"layers":0,"heads":0,"hidden":0,"columns":1}`

func TestConfigIsRead(t *testing.T) {
	config, err := model.ParseConfig(wholeConfig)
	require.NoError(t, err)
	require.Equal(t, &model.Config{
		Modalities: []string{"text", "image", "video", "audio"}, Context: 1048576, Width: 8192, Layers: 256, Heads: 4096,
		Hidden: 65536, Columns: 8192, NormEpsilon: 1, RotaryBase: 1e9, Skip: true,
		Grams:   &model.Grams{Sizes: []int{1, 2, 3, 4, 5, 6, 7, 8}, Hashes: 4, Buckets: 16777216, Words: true, Fold: true, Within: true},
		Lexical: &model.Lexical{Sizes: []int{8}, Buckets: 16777216, Fold: true, Within: true, Columns: 1024, Share: 0.999},
		Image: &model.Image{Side: 1024, Patch: 128, Mean: &[3]float64{-10, 0, 10}, Deviation: &[3]float64{10, 1e-9, 0.25},
			Background: &[3]uint8{0, 255, 7}},
		Video:   &model.Video{Frames: 256},
		Audio:   &model.Audio{Rate: 96000, Window: 8192, Hop: 8192, Mels: 256, High: 48000, Frames: 256, Mean: -100, Deviation: 100},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{{Name: "a", InverseTemperature: 1000}, {InverseTemperature: 1e-9}}},
	}, config)
	require.Equal(t, 8192+1024, config.EmbeddingColumns())
}

func TestConfigDefaults(t *testing.T) {
	config, err := model.ParseConfig(leastConfig)
	require.NoError(t, err)
	require.Equal(t, &model.Config{Modalities: []string{"text"}, Context: 1, Width: 1, Columns: 1, NormEpsilon: 1e-6, RotaryBase: 10000}, config)
	require.Equal(t, 1, config.EmbeddingColumns())
}

func TestConfigSurvivesItsMetadata(t *testing.T) {
	for _, text := range []string{wholeConfig, leastConfig} {
		config, err := model.ParseConfig(text)
		require.NoError(t, err)
		metadata, err := config.Metadata()
		require.NoError(t, err)
		again, err := model.ParseConfig(metadata["uform"])
		require.NoError(t, err)
		require.Equal(t, config, again)
	}
	_, err := (&model.Config{Modalities: []string{"text"}, Context: 1, Width: 0, Columns: 1}).Metadata()
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	require.NotErrorIs(t, err, errors.ErrMalformed)
	require.ErrorContains(t, err, "width")
}

// set changes one member of a configuration, at a path such as "grams.sizes". Nil removes it.
func set(t *testing.T, text, path string, value any) string {
	t.Helper()
	var config map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &config))
	at, names := config, strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		if list, ok := at[name].([]any); ok {
			at = list[0].(map[string]any)
			continue
		}
		at = at[name].(map[string]any)
	}
	if value == nil {
		delete(at, names[len(names)-1])
	} else {
		at[names[len(names)-1]] = value
	}
	changed, err := json.Marshal(config)
	require.NoError(t, err)
	return string(changed)
}

func TestConfigRefusals(t *testing.T) {
	null := json.RawMessage("null")
	number := func(literal string) any { return json.RawMessage(literal) }
	many := make([]any, 257)
	for i := range many {
		many[i] = map[string]any{"name": "", "inverse_temperature": 1}
	}
	var unsupported = errors.ErrUnsupported
	for _, refusal := range []struct {
		path   string
		values []any
		status errors.Status
	}{
		{"format", []any{nil, null, 1, "", "UFORM"}, errors.ErrMalformed},
		{"version", []any{nil, null, "1", 0, -1, 1.5, number("1.0"), number("1e0")}, errors.ErrMalformed},
		{"version", []any{3, 4, number("9223372036854775807")}, unsupported},
		{"modalities", []any{nil, null, "text", []any{}, []any{"image"}, []any{"text", "text"}, []any{"text", "smell"}, []any{1}}, errors.ErrMalformed},
		{"context", []any{nil, null, "1", 0, -1, 1048577, 1.5, true, number("2.0")}, errors.ErrMalformed},
		{"width", []any{nil, null, 0, 8193, []any{1}}, errors.ErrMalformed},
		{"layers", []any{nil, null, -1, 257, 0.5}, errors.ErrMalformed},
		{"heads", []any{nil, null, -1, 0, 3, 8192, 8193, 16384}, errors.ErrMalformed},
		{"hidden", []any{nil, null, -1, 0, 65537}, errors.ErrMalformed},
		{"columns", []any{nil, null, 0, 8193}, errors.ErrMalformed},
		{"norm_epsilon", []any{null, "1", 0, -1e-6, 1.0001, number("1e999"), number("1e-999")}, errors.ErrMalformed},
		{"rotary_base", []any{null, 0.999, 0, -10000, 1.1e9}, errors.ErrMalformed},
		{"skip", []any{null, 1, "true"}, errors.ErrMalformed},
		// in version 1
		{"fold", []any{null, true, "", "unicode-15.0", "unicode-16.0"}, errors.ErrMalformed},
		{"grams", []any{null, true, []any{}}, errors.ErrMalformed},
		{"grams.sizes", []any{nil, null, 3, []any{}, []any{0}, []any{9}, []any{2, 1}, []any{2, 2}, []any{1.5}, []any{1, 2, 3, 4, 5, 6, 7, 8, 8}}, errors.ErrMalformed},
		{"grams.hashes", []any{nil, null, 0, 5}, errors.ErrMalformed},
		{"grams.buckets", []any{nil, null, 0, 16777217}, errors.ErrMalformed},
		{"grams.words", []any{null, 0}, errors.ErrMalformed},
		{"grams.fold", []any{null, "yes"}, errors.ErrMalformed},
		{"grams.within", []any{null, 1}, errors.ErrMalformed},
		{"lexical", []any{null, 1}, errors.ErrMalformed},
		{"lexical.sizes", []any{nil, []any{}, []any{9}}, errors.ErrMalformed},
		{"lexical.buckets", []any{nil, 0, 16777217}, errors.ErrMalformed},
		{"lexical.fold", []any{null}, errors.ErrMalformed},
		{"lexical.within", []any{null}, errors.ErrMalformed},
		{"lexical.columns", []any{nil, 0, 63, 65, 100, 1088}, errors.ErrMalformed},
		{"lexical.share", []any{nil, 0, 1, -0.5, "0.5"}, errors.ErrMalformed},
		{"image", []any{nil, null, true}, errors.ErrMalformed},
		{"image.side", []any{nil, null, 0, 7, 1025, 1000, 8.5}, errors.ErrMalformed},
		{"image.patch", []any{nil, null, 0, 129, 127, "8"}, errors.ErrMalformed},
		{"image.mean", []any{null, 0.5, []any{}, []any{1, 2}, []any{1, 2, 3, 4}, []any{1, 2, "3"}, []any{1, 2, 10.5}, []any{-10.5, 1, 1}}, errors.ErrMalformed},
		{"image.deviation", []any{null, []any{1, 2}, []any{1, 0, 1}, []any{1, -1, 1}, []any{1, 1, 10.5}}, errors.ErrMalformed},
		{"image.background", []any{null, []any{}, []any{0, 0}, []any{0, 0, 256}, []any{0, -1, 0}, []any{0, 0.5, 0}}, errors.ErrMalformed},
		{"video", []any{nil, null, 8}, errors.ErrMalformed},
		{"video.frames", []any{nil, null, 0, 257}, errors.ErrMalformed},
		{"audio", []any{nil, null, []any{}}, errors.ErrMalformed},
		{"audio.rate", []any{nil, null, 3999, 96001, 44100.5, 95999}, errors.ErrMalformed},
		{"audio.window", []any{nil, 15, 8193, 8191}, errors.ErrMalformed},
		{"audio.hop", []any{nil, 0, 8193}, errors.ErrMalformed},
		{"audio.mels", []any{nil, 3, 257}, errors.ErrMalformed},
		{"audio.low", []any{nil, null, -1, 48000, 48001}, errors.ErrMalformed},
		{"audio.high", []any{nil, null, 0, 48001}, errors.ErrMalformed},
		{"audio.frames", []any{nil, 0, 257}, errors.ErrMalformed},
		{"audio.mean", []any{nil, null, -100.5, 101}, errors.ErrMalformed},
		{"audio.deviation", []any{nil, null, 0, -1, 101}, errors.ErrMalformed},
		{"decoder", []any{null, []any{}}, errors.ErrMalformed},
		{"decoder.question_types", []any{nil, null, []any{}, []any{"a"}, map[string]any{}, many}, errors.ErrMalformed},
		{"decoder.question_types.name", []any{nil, null, 1}, errors.ErrMalformed},
		{"decoder.question_types.inverse_temperature", []any{nil, null, 0, -1, 1000.5, "1"}, errors.ErrMalformed},
	} {
		for _, value := range refusal.values {
			name, _ := json.Marshal(value)
			t.Run(fmt.Sprintf("%s=%.40s", refusal.path, name), func(t *testing.T) {
				_, err := model.ParseConfig(set(t, wholeConfig, refusal.path, value))
				require.ErrorIs(t, err, refusal.status)
				names := strings.Split(refusal.path, ".")
				require.ErrorContains(t, err, names[len(names)-1])
			})
		}
	}
	for _, path := range []string{"heads", "hidden"} {
		_, err := model.ParseConfig(set(t, leastConfig, path, 1))
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, path)
	}
}

// The normalisation of pictures has defaults, in a file and in one being written.
func TestImageDefaults(t *testing.T) {
	text := set(t, leastConfig, "modalities", []any{"text", "image"})
	text = set(t, text, "image", map[string]any{"side": 8, "patch": 8})
	config, err := model.ParseConfig(text)
	require.NoError(t, err)
	want := &model.Image{Side: 8, Patch: 8, Mean: &[3]float64{0.5, 0.5, 0.5}, Deviation: &[3]float64{0.5, 0.5, 0.5},
		Background: &[3]uint8{255, 255, 255}}
	require.Equal(t, want, config.Image)
	config.Image = &model.Image{Side: 8, Patch: 8}
	metadata, err := config.Metadata()
	require.NoError(t, err)
	again, err := model.ParseConfig(metadata["uform"])
	require.NoError(t, err)
	require.Equal(t, want, again.Image)
}

// An object of a modality is present exactly with the modality, and no item has more tokens than
// the context.
func TestModalitiesAndContextAgree(t *testing.T) {
	for _, kept := range []string{"image", "video", "audio"} {
		text := set(t, leastConfig, kept, map[string]any{
			"image": map[string]any{"side": 8, "patch": 8}, "video": map[string]any{"frames": 1},
			"audio": map[string]any{"rate": 8000, "window": 16, "hop": 1, "mels": 4, "low": 0, "high": 1, "frames": 1, "mean": 0, "deviation": 1},
		}[kept])
		_, err := model.ParseConfig(text)
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, kept)
	}
	text := set(t, wholeConfig, "image.patch", 1)
	text = set(t, text, "modalities", []any{"text", "image", "audio"})
	text = set(t, text, "video", nil)
	_, err := model.ParseConfig(text)
	require.NoError(t, err, "1024² tokens are a context of 2^20")
	for path, changed := range map[string]string{
		"image": set(t, text, "context", 1<<20-1), "video": set(t, wholeConfig, "context", 256*64-1),
	} {
		_, err := model.ParseConfig(changed)
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, path+": ")
	}
	_, err = model.ParseConfig(set(t, wholeConfig, "context", 256*64))
	require.NoError(t, err)
}

func TestConfigTextRefusals(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                  "",
		"no object":                `"uform"`,
		"cut short":                wholeConfig[:len(wholeConfig)-1],
		"a member twice":           strings.Replace(leastConfig, `"width":1`, `"width":1,"width":1`, 1),
		"an ignored member twice":  strings.Replace(leastConfig, `"width":1`, `"width":1,"x":1,"x":1`, 1),
		"no UTF-8":                 strings.Replace(leastConfig, `"width":1`, "\"width\":1,\"\xFF\":1", 1),
		"an ignored member, deep":  strings.Replace(leastConfig, `"width":1`, `"width":1,"x":`+nested(16), 1),
		"comments":                 leastConfig + "// new",
		"a number that is no JSON": strings.Replace(leastConfig, `"width":1`, `"width":01`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := model.ParseConfig(text)
			require.ErrorIs(t, err, errors.ErrMalformed)
		})
	}
}

// In a later version only these two members need to have the meaning that they have now.
func TestLaterVersionIsUnsupportedWhateverElseItHolds(t *testing.T) {
	_, err := model.ParseConfig(`{"width":"wide","version":3,"format":"uform"}`)
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
