#!/usr/bin/env bash
# The tests on every platform that this machine can run or emulate, and README's table of platforms: ci/platforms/main.go says more.
set -euo pipefail
cd "$(dirname "$0")/.."
wine=
for argument in "$@"; do
	case $argument in
	windows/*) wine=$(bash ci/wine/install.sh) ;;
	esac
done
go run ./ci/platforms -wine "$wine" "$@"
