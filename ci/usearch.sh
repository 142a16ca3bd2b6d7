#!/usr/bin/env bash
# Builds USearch's C library from the source in its npm package into the user's cache, with the
# machine's vectors, and prints its path. The package on PyPI has no C interface.
set -euo pipefail
version=2.26.2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/uform-recipes/usearch-$version
library=$cache/libusearch_c.so
if [ ! -e "$library" ]; then
	mkdir -p "$cache"
	(cd "$cache" && npm pack --silent usearch@$version >&2 && tar xzf ./*.tgz package/c package/include && rm ./*.tgz)
	g++ -std=c++17 -O3 -march=native -fopenmp-simd -fPIC -shared -DUSEARCH_USE_NUMKONG=0 -DUSEARCH_USE_OPENMP=0 \
		-I"$cache/package/include" "$cache/package/c/lib.cpp" -o "$library.new"
	mv "$library.new" "$library"
fi
echo "$library"
