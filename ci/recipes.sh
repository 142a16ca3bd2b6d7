#!/usr/bin/env bash
# Installs what the recipes of examples/recipes need, and runs them: PostgreSQL in a cluster that
# lives as long as they do, USearch from its source. With -price it prints what a thousand texts
# cost with each; other arguments are for `go test`.
set -euo pipefail
cd "$(dirname "$0")/.."
bash ci/pgvector.sh
USEARCH_LIBRARY=$(bash ci/usearch.sh)
export USEARCH_LIBRARY
if [ "${1:-}" = -price ]; then
	exec pg_virtualenv -t go run -C examples/recipes ./price "${@:2}"
fi
go vet -C examples/recipes ./...
pg_virtualenv -t go run ./ci/testcount -C examples/recipes "$@" ./...
