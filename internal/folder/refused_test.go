package folder_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
)

// edit changes members of a JSON file; a nil value removes one.
func edit(t testing.TB, files fstest.MapFS, name string, members map[string]any) {
	values := map[string]any{}
	if file, found := files[name]; found {
		require.NoError(t, json.Unmarshal(file.Data, &values))
	}
	for key, value := range members {
		if values[key] = value; value == nil {
			delete(values, key)
		}
	}
	text, err := json.Marshal(values)
	require.NoError(t, err)
	files[name] = &fstest.MapFile{Data: text}
}

// editHeader changes the header of a safetensors file as text.
func editHeader(t testing.TB, file *fstest.MapFile, old, new string) {
	size := binary.LittleEndian.Uint64(file.Data)
	header := string(file.Data[8 : 8+size])
	require.Contains(t, header, old)
	header = strings.Replace(header, old, new, 1)
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	file.Data = append(append(data, header...), file.Data[8+size:]...)
}

// setTensor overwrites the first element of an F32 tensor.
func setTensor(t testing.TB, file *fstest.MapFile, name string, value float32) {
	size := binary.LittleEndian.Uint64(file.Data)
	var header map[string]struct {
		Offsets [2]int `json:"data_offsets"`
	}
	require.NoError(t, json.Unmarshal(file.Data[8:8+size], &header))
	at, found := header[name]
	require.True(t, found, name)
	data := append([]byte{}, file.Data...)
	binary.LittleEndian.PutUint32(data[8+int(size)+at.Offsets[0]:], math.Float32bits(value))
	file.Data = data
}

const weights = "model.safetensors"

// pointer is what Git has in place of a large file that was not fetched.
const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:53aa51172d142c89\nsize 90868376\n"

func TestFoldersThatAreRefused(t *testing.T) {
	unsupported, malformed, missing := errors.ErrUnsupported, errors.ErrMalformed, errors.ErrIO
	config := func(members map[string]any) func(fstest.MapFS) {
		return func(files fstest.MapFS) { edit(t, files, "config.json", members) }
	}
	inner := func(object, key string, value any) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			var all map[string]any
			require.NoError(t, json.Unmarshal(files["config.json"].Data, &all))
			part := all[object].(map[string]any)
			part[key] = value
			edit(t, files, "config.json", map[string]any{object: part})
		}
	}
	set := func(file, text string) func(fstest.MapFS) {
		return func(files fstest.MapFS) { files[file] = &fstest.MapFile{Data: []byte(text)} }
	}
	pooling := func(members map[string]any) func(fstest.MapFS) {
		return func(files fstest.MapFS) { edit(t, files, "1_Pooling/config.json", members) }
	}
	tensor := func(name string, value float32) func(fstest.MapFS) {
		return func(files fstest.MapFS) { setTensor(t, files[weights], name, value) }
	}
	header := func(old, new string) func(fstest.MapFS) {
		return func(files fstest.MapFS) { editHeader(t, files[weights], old, new) }
	}
	shards := func(index string) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			delete(files, weights)
			files[weights+".index.json"] = &fstest.MapFile{Data: []byte(index)}
		}
	}
	const words = "embeddings.word_embeddings.weight"
	for _, c := range []struct {
		name, base string
		change     func(fstest.MapFS)
		status     error
		says       string
	}{
		{"no config", "bert", func(files fstest.MapFS) { delete(files, "config.json") }, missing, "config.json"},
		{"no model_type", "bert", config(map[string]any{"model_type": nil}), unsupported, "config.json: model_type"},
		{"another model_type", "bert", config(map[string]any{"model_type": "t5"}), unsupported, "model_type t5"},
		{"a model_type for a terminal", "bert", config(map[string]any{"model_type": "\x1b[31m"}), unsupported, `model_type "\x1b[31m"`},
		{"not JSON", "bert", set("config.json", "{"), malformed, "config.json"},
		{"not an object", "bert", set("config.json", "[]"), malformed, "config.json"},
		{"not UTF-8", "bert", set("config.json", "{\"model_type\":\"\xff\"}"), malformed, "config.json"},
		{"deep", "bert", set("config.json", strings.Repeat("[", 1<<20)), malformed, "config.json"},
		{"no layers", "bert", config(map[string]any{"num_hidden_layers": 0}), malformed, "config.json: num_hidden_layers: 0"},
		{"many layers", "bert", config(map[string]any{"num_hidden_layers": 100000000}), malformed, `"encoder.layer.`},
		{"too many layers", "bert", config(map[string]any{"num_hidden_layers": 1000000000}), malformed, "num_hidden_layers: 1000000000"},
		{"negative", "bert", config(map[string]any{"hidden_size": -32}), malformed, "hidden_size: -32"},
		{"a fraction", "bert", config(map[string]any{"hidden_size": 32.5}), malformed, "hidden_size: 32.5"},
		{"a list", "bert", config(map[string]any{"hidden_size": []int{32}}), malformed, "hidden_size: [32]"},
		{"huge", "bert", set("config.json", `{"model_type":"bert","hidden_size":1e999}`), malformed, "hidden_size"},
		{"no heads", "bert", config(map[string]any{"num_attention_heads": 0}), malformed, "num_attention_heads: 0"},
		{"heads that do not divide", "bert", config(map[string]any{"num_attention_heads": 5}), malformed, "multiple of 5 heads"},
		{"another width", "bert", config(map[string]any{"hidden_size": 64}), malformed, words},
		{"an activation", "bert", config(map[string]any{"hidden_act": "gelu_10"}), unsupported, "hidden_act gelu_10"},
		{"positions", "bert", config(map[string]any{"position_embedding_type": "relative_key"}), unsupported, "position_embedding_type relative_key"},
		{"a decoder", "bert", config(map[string]any{"is_decoder": true}), unsupported, "is_decoder"},
		{"cross attention", "bert", config(map[string]any{"add_cross_attention": true}), unsupported, "add_cross_attention"},
		{"pruned heads", "bert", config(map[string]any{"pruned_heads": map[string][]int{"0": {1}}}), unsupported, "pruned_heads"},
		{"quantised", "bert", config(map[string]any{"quantization_config": map[string]any{"bits": 4}}), unsupported, "quantization_config"},
		{"code of its own", "bert", config(map[string]any{"auto_map": map[string]any{"AutoModel": "modeling.Model"}}), unsupported, "auto_map"},
		{"an adapter", "bert", set("adapter_config.json", "{}"), unsupported, "adapter_config.json"},
		{"buckets", "mpnet", config(map[string]any{"relative_attention_num_buckets": 64}), unsupported, "relative_attention_num_buckets 64"},
		{"a pad token past the positions", "roberta", config(map[string]any{"pad_token_id": 100000}), malformed, "pad"},
		{"norms before", "nomic-swiglu", config(map[string]any{"prenorm": true}), unsupported, "prenorm true"},
		{"interleaved", "nomic-swiglu", config(map[string]any{"rotary_emb_interleaved": true}), unsupported, "rotary_emb_interleaved"},
		{"half rotary", "nomic-swiglu", config(map[string]any{"rotary_emb_fraction": 0.5}), unsupported, "rotary_emb_fraction 0.5"},
		{"experts", "nomic-swiglu", config(map[string]any{"num_experts": 8, "moe_every_n_layers": 2}), unsupported, "config.json: moe_every_n_layers 2 of num_experts 8: a mixture of experts is not supported"},
		{"scaled", "modernbert", config(map[string]any{"rope_scaling": map[string]any{"type": "yarn"}}), unsupported, "rope_scaling"},
		{"scaled anew", "modernbert", config(map[string]any{"rope_parameters": map[string]any{"full_attention": map[string]any{"rope_type": "yarn"}}}), unsupported, "rope_type yarn"},
		{"a kind of layer", "modernbert", config(map[string]any{"layer_types": []string{"x", "x", "x", "x"}}), malformed, "layer_types"},
		{"no rotation", "nomic-swiglu", config(map[string]any{"rotary_emb_base": 0}), malformed, "rotary_emb_base: 0"},
		{"no global rotation", "modernbert", config(map[string]any{"global_rope_theta": 0}), malformed, "rope_theta: 0"},
		{"cut at the begin", "bert", func(files fstest.MapFS) {
			edit(t, files, "tokenizer_config.json", map[string]any{"truncation_side": "left"})
		}, unsupported, "truncation_side left"},
		{"no text tower", "uform", config(map[string]any{"text_encoder": nil}), unsupported, "text_encoder"},
		{"no heads of pictures", "uform", inner("image_encoder", "num_heads", 0), malformed, "image_encoder.num_heads: 0"},
		{"no heads of pictures in CLIP", "clip", inner("vision_config", "num_attention_heads", 0), malformed, "vision_config.num_attention_heads: 0"},
		{"no width of texts in CLIP", "clip", inner("text_config", "hidden_size", 0), malformed, "text_config.hidden_size: 0"},
		{"no projection", "uform", func(files fstest.MapFS) {
			editHeader(t, files["text_encoder.safetensors"], "embedding_projection", "embedding_projectio_")
		}, malformed, "embedding_projection"},
		{"no head", "siglip", header("text_model.head.bias", "text_model.head.bia_"), malformed, "text_model.head.bias"},
		{"no projection of CLIP", "clip", header("text_projection", "text_projectio_"), malformed, "text_projection"},
		{"no window", "modernbert", config(map[string]any{"local_attention": 0, "layer_types": nil}), unsupported, "local_attention"},

		{"no weights", "bert", func(files fstest.MapFS) { delete(files, weights) }, missing, weights},
		{"a pickle", "bert", func(files fstest.MapFS) { files["pytorch_model.bin"] = files[weights]; delete(files, weights) }, unsupported, "pytorch_model.bin: save them as safetensors"},
		{"a cut file", "bert", func(files fstest.MapFS) { f := files[weights]; f.Data = f.Data[:len(f.Data)-1] }, malformed, weights},
		{"an empty file", "bert", func(files fstest.MapFS) { files[weights].Data = nil }, malformed, weights},
		{"NaN in a matrix", "bert", tensor("encoder.layer.0.intermediate.dense.weight", float32(math.NaN())), malformed, "encoder.layer.0.intermediate.dense.weight"},
		{"infinity in a table", "bert", tensor(words, float32(math.Inf(1))), malformed, words},
		{"NaN in a vector", "bert", tensor("encoder.layer.1.output.dense.bias", float32(math.NaN())), malformed, "encoder.layer.1.output.dense.bias"},
		{"NaN in a norm", "bert", tensor("embeddings.LayerNorm.weight", float32(math.Inf(-1))), malformed, "embeddings.LayerNorm.weight"},
		{"NaN in a type", "bert", tensor("embeddings.token_type_embeddings.weight", float32(math.NaN())), malformed, "token_type"},
		{"NaN in a bias of scores", "mpnet", tensor("encoder.relative_attention_bias.weight", float32(math.NaN())), malformed, "relative_attention_bias"},
		{"a missing tensor", "bert", header("encoder.layer.0.output.dense.bias", "encoder.layer.0.output.dense.bia0"), malformed, "encoder.layer.0.output.dense.bias\" is missing"},
		{"a dtype", "bert", header(`"F32"`, `"I32"`), unsupported, "I32"},

		{"an index that leads out", "bert", shards(`{"weight_map":{"a":"../model.safetensors"}}`), malformed, "../model.safetensors"},
		{"an index of a folder", "bert", shards(`{"weight_map":{"a":"/etc/passwd"}}`), malformed, "/etc/passwd"},
		{"an index of pickles", "bert", shards(`{"weight_map":{"a":"pytorch_model-1.bin"}}`), unsupported, "pytorch_model-1.bin"},
		{"an index of nothing", "bert", shards(`{"weight_map":{}}`), malformed, "weight_map"},
		{"an index of what is not there", "bert", shards(`{"weight_map":{"a":"b.safetensors"}}`), missing, "b.safetensors"},
		{"an index without a map", "bert", shards(`{}`), malformed, "weight_map"},
		{"an index of files without tensors", "bert", func(files fstest.MapFS) {
			shards(`{"weight_map":{"a":"a.safetensors","b":"b.safetensors"}}`)(files)
			files["a.safetensors"] = &fstest.MapFile{Data: append(binary.LittleEndian.AppendUint64(nil, 2), "{}"...)}
		}, malformed, "a.safetensors holds no tensor"},

		{"a configuration that was not fetched", "bert", set("config.json", pointer), malformed, "config.json is a Git LFS pointer"},
		{"a tokenizer that was not fetched", "bert", set("tokenizer.json", pointer), malformed, "tokenizer.json is a Git LFS pointer"},
		{"weights that were not fetched", "bert", set(weights, pointer), malformed, weights + " is a Git LFS pointer"},
		{"a tokenizer that is a folder", "bert", func(files fstest.MapFS) {
			delete(files, "tokenizer.json")
			files["tokenizer.json/inner"] = &fstest.MapFile{}
		}, missing, "tokenizer.json"},

		{"modules that lead out", "bert", set("modules.json", `[{"path":"../other","type":"Transformer"}]`), malformed, "../other"},
		{"modules of the root", "bert", set("modules.json", `[{"path":"/etc","type":"Transformer"}]`), malformed, "/etc"},
		{"a module", "bert", set("modules.json", `[{"path":"","type":"a.Transformer"},{"path":"1","type":"a.LSTM"}]`), unsupported, "LSTM"},
		{"no module", "bert", set("modules.json", `[]`), malformed, "modules.json"},
		{"many modules", "bert", set("modules.json", `[{"path":"","type":"a.Transformer"}`+strings.Repeat(`,{"path":"1","type":"a.Normalize"}`, 64)+`]`),
			unsupported, "65 modules"},
		{"no pooling", "bert", set("modules.json", `[{"path":"","type":"a.Transformer"}]`), unsupported, "no Pooling"},
		{"length before pooling", "bert", set("modules.json", `[{"path":"","type":"a.Transformer"},{"path":"1","type":"a.Normalize"}]`), unsupported, "before the Pooling"},
		{"two poolings", "bert", set("modules.json", `[{"path":"","type":"a.Transformer"},{"path":"1_Pooling","type":"a.Pooling"},{"path":"1_Pooling","type":"a.Pooling"}]`), unsupported, "Pooling"},
		{"a pooling first", "bert", set("modules.json", `[{"path":"1_Pooling","type":"a.Pooling"}]`), unsupported, "first module"},
		{"no pooling's file", "bert", func(files fstest.MapFS) { delete(files, "1_Pooling/config.json") }, missing, "1_Pooling/config.json"},
		{"a mode", "bert", pooling(map[string]any{"pooling_mode": "attention"}), unsupported, "pooling_mode attention"},
		{"a mode of old", "bert", pooling(map[string]any{"pooling_mode": nil, "pooling_mode_attention": true}), unsupported, "pooling_mode_attention"},
		{"a width of pooling", "bert", pooling(map[string]any{"embedding_dimension": 31, "word_embedding_dimension": nil}), malformed, "embedding_dimension: 31"},
		{"an activation of a Dense", "bert-dense-tanh", func(files fstest.MapFS) {
			edit(t, files, "2_Dense/config.json", map[string]any{"activation_function": "torch.nn.Mish"})
		}, unsupported, "torch.nn.Mish"},
		{"a Dense of tokens", "bert-dense-tanh", func(files fstest.MapFS) {
			edit(t, files, "2_Dense/config.json", map[string]any{"module_input_name": "token_embeddings"})
		}, unsupported, "module_input_name"},
		{"a Dense of another width", "bert-dense-tanh", func(files fstest.MapFS) { edit(t, files, "2_Dense/config.json", map[string]any{"in_features": 7}) }, malformed, "in_features: 7"},
		{"arguments", "bert", func(files fstest.MapFS) {
			edit(t, files, "sentence_bert_config.json", map[string]any{"config_args": map[string]any{"hidden_act": "relu"}})
		}, unsupported, "config_args.hidden_act"},
		{"no tokens", "bert", func(files fstest.MapFS) {
			edit(t, files, "sentence_bert_config.json", map[string]any{"max_seq_length": 1})
		}, malformed, "sentence_bert_config.json: 1 tokens"},
		{"no tokens between those around", "bert", func(files fstest.MapFS) {
			edit(t, files, "sentence_bert_config.json", map[string]any{"max_seq_length": 2})
		}, malformed, "sentence_bert_config.json: 2 tokens"},
		{"no tokens of the tokenizer", "bert", func(files fstest.MapFS) {
			delete(files, "sentence_bert_config.json")
			edit(t, files, "tokenizer_config.json", map[string]any{"model_max_length": 1})
		}, malformed, "tokenizer_config.json: 1 tokens"},
		{"a default that is none", "bert-prompts", func(files fstest.MapFS) {
			edit(t, files, "config_sentence_transformers.json", map[string]any{"default_prompt_name": "other"})
		}, malformed, "default_prompt_name"},
		{"a prompt as long as the context", "bert-prompts", func(files fstest.MapFS) {
			edit(t, files, "config_sentence_transformers.json", map[string]any{"prompts": map[string]any{"long": strings.Repeat("sea ", 48)}, "default_prompt_name": nil})
		}, unsupported, `the prompt long: it leaves none of 48 tokens`},
		{"a prompt of many bytes", "bert-prompts", func(files fstest.MapFS) {
			edit(t, files, "config_sentence_transformers.json", map[string]any{"prompts": map[string]any{"long": strings.Repeat(" ", 1<<17)}, "default_prompt_name": nil})
		}, unsupported, "the prompt long: 131072 bytes"},
		{"the name of no prompt", "bert-prompts", func(files fstest.MapFS) {
			edit(t, files, "config_sentence_transformers.json", map[string]any{
				"prompts": map[string]any{folder.NoPrompt: "query: "}, "default_prompt_name": nil,
			})
		}, malformed, `the prompt "\x00": the name stands for no prompt`},

		{"no tokenizer", "bert", func(files fstest.MapFS) { delete(files, "tokenizer.json") }, missing, "tokenizer"},
		{"a tokenizer of another model", "nomic-plain", func(files fstest.MapFS) {
			other, _ := goldenFolder(t, "bert")
			files["tokenizer.json"] = other["tokenizer.json"]
		}, malformed, "ids up to"},
		{"SentencePiece alone", "bert", func(files fstest.MapFS) { delete(files, "tokenizer.json"); files["spiece.model"] = &fstest.MapFile{} }, unsupported, "spiece.model"},
		{"pictures without their preparation", "clip-vision", func(files fstest.MapFS) { delete(files, "preprocessor_config.json") }, missing, "preprocessor_config.json"},
		{"modules after pictures", "siglip-vision", set("modules.json", `[{"path": "", "type": "sentence_transformers.models.Transformer"}]`), unsupported, "modules.json"},
		{"an unknown tokenizer", "bert", set("tokenizer.json", `{"model":{"type":"Magic"}}`), unsupported, "Magic"},
		{"mapping past the table", "model2vec-quantized", func(files fstest.MapFS) {
			setTensor(t, files[weights], "mapping", math.Float32frombits(0xFFFF))
		}, malformed, "mapping"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, _ := goldenFolder(t, c.base)
			c.change(files)
			m, err := folder.Open(folder.Files(files), nil)
			require.Nil(t, m)
			require.ErrorIs(t, err, c.status)
			require.ErrorContains(t, err, c.says)
			require.Less(t, len(err.Error()), 600, err)
		})
	}
}
