#!/usr/bin/env bash
# Builds ci/bench/candle for this processor, in the user's cache, and prints the path of the program.
# It needs Rust, and takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/candle"
export CARGO_TARGET_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/uform-bench/candle RUSTFLAGS=-Ctarget-cpu=native
cargo build --quiet --release >&2
echo "$CARGO_TARGET_DIR/release/uform-bench-candle"
