#!/usr/bin/env python3
"""Computes embeddings of BERT with llama.cpp, for `encoder -beside`, by the lines that ci/bench/candle describes.

    pip install llama-cpp-python==0.3.36 gguf==0.19.0 numpy
    python3 llama.py FOLDER

The script that llama.cpp converts folders with is in no package, so that this writes the GGUF itself: all weights in
f32, no vocabulary, since it gets ids.
"""
import ctypes
import json
import os
import struct
import sys
import tempfile
import time

import gguf
import llama_cpp as llama
import numpy as np


def tensors(path):
    """The tensors of a safetensors file that are F32."""
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            yield name, np.frombuffer(data[start + begin:start + end], dtype="<f4").reshape(entry["shape"])


def convert(folder, path):
    config = json.load(open(folder + "/config.json"))
    w = gguf.GGUFWriter(path, "bert")
    w.add_name("bert")
    w.add_block_count(config["num_hidden_layers"])
    w.add_context_length(config["max_position_embeddings"])
    w.add_embedding_length(config["hidden_size"])
    w.add_feed_forward_length(config["intermediate_size"])
    w.add_head_count(config["num_attention_heads"])
    w.add_layer_norm_eps(config["layer_norm_eps"])
    w.add_causal_attention(False)
    w.add_pooling_type(gguf.PoolingType.MEAN)
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    w.add_tokenizer_model("no_vocab")
    w.add_vocab_size(config["vocab_size"])
    w.add_token_type_count(config["type_vocab_size"])
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, config["num_hidden_layers"])
    for name, values in tensors(folder + "/model.safetensors"):
        if not name.startswith("pooler."):
            w.add_tensor(names.get_name(name, try_suffixes=(".weight", ".bias")), values)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


@llama.llama_log_callback
def silent(level, text, data):
    if level == 4:  # an error
        sys.stderr.write(text.decode())


llama.llama_log_set(silent, ctypes.c_void_p(0))
with tempfile.TemporaryDirectory() as temporary:
    path = os.path.join(temporary, "model.gguf")
    convert(sys.argv[1], path)
    model = llama.llama_model_load_from_file(path.encode(), llama.llama_model_default_params())
most = 32 * 64
parameters = llama.llama_context_default_params()
parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = most
parameters.n_seq_max = 32
parameters.kv_unified = True
parameters.n_threads = parameters.n_threads_batch = 1
parameters.embeddings = True
parameters.pooling_type = llama.LLAMA_POOLING_TYPE_MEAN
context = llama.llama_init_from_model(model, parameters)
columns = llama.llama_model_n_embd(model)
batch = llama.llama_batch_init(most, 0, 1)
for line in sys.stdin:
    numbers = [int(word) for word in line.split()]
    count, ids = numbers[0], numbers[1:]
    length = len(ids) // count
    batch.n_tokens = len(ids)
    for i, token in enumerate(ids):
        batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i % length, 1, True
        batch.seq_id[i][0] = i // length
    begin = time.process_time()
    if llama.llama_encode(context, batch) != 0:
        sys.exit("llama_encode fails")
    rows = [np.ctypeslib.as_array(llama.llama_get_embeddings_seq(context, i), (columns,)) for i in range(count)]
    vectors = np.concatenate([row / np.linalg.norm(row) for row in rows])
    spent = time.process_time() - begin
    print(spent, *vectors.tolist(), flush=True)
