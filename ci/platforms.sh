#!/usr/bin/env bash
# Runs the tests on every platform that this machine can run or emulate, and compares README's table
# of platforms: see ci/platforms/main.go.
set -euo pipefail
cd "$(dirname "$0")/.."
go run ./ci/platforms "$@"
