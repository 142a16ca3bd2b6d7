#!/usr/bin/env bash
# Tests package columnar and the command with the real pyarrow, at a pinned version, which reads the
# Parquet files and Arrow streams that the tests write.
set -euo pipefail
cd "$(dirname "$0")/.."
folder="${XDG_CACHE_HOME:-$HOME/.cache}/uform-pyarrow"
[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check pyarrow==26.0.1 numpy==2.4.6
go vet -C uform/columnar ./...
export UFORM_PYARROW="$folder/bin/python"
go run ./ci/testcount -C uform/columnar ./...
go run ./ci/testcount -C cmd/uform -run '^TestPyarrow' .
