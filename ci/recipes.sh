#!/usr/bin/env bash
# Installs what the recipes of examples/recipes need, and runs them: PostgreSQL in a cluster that
# lives as long as they do, USearch from its source. Arguments are for `go test`.
set -euo pipefail
cd "$(dirname "$0")/.."
bash ci/pgvector.sh
USEARCH_LIBRARY=$(bash ci/usearch.sh)
export USEARCH_LIBRARY
go vet -C examples/recipes ./...
pg_virtualenv -t go run ./ci/testcount -C examples/recipes "$@" ./...
