#!/usr/bin/env bash
# Downloads ONNX Runtime's shared library, which is in the npm package onnxruntime-node, into the
# user's cache, and prints its path. The package is 110 MB.
set -euo pipefail
version=1.30.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/uform-bench/onnxruntime-$version
case $(uname -m) in x86_64) machine=x64 ;; aarch64) machine=arm64 ;; *) echo "no ONNX Runtime for $(uname -m)" >&2; exit 1 ;; esac
library=$cache/package/bin/napi-v6/linux/$machine/libonnxruntime.so.1
if [ ! -e "$library" ]; then
	mkdir -p "$cache"
	(cd "$cache" && npm pack --silent onnxruntime-node@$version >&2 && tar xzf ./*.tgz package/bin && rm ./*.tgz)
fi
echo "$library"
