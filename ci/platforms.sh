#!/usr/bin/env bash
# The tests on every platform that this machine can run or emulate, and the table of
# docs/platforms.md: ci/platforms/main.go says more.
set -euo pipefail
cd "$(dirname "$0")/.."
go run ./ci/platforms "$@"
