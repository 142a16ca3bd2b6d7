#!/usr/bin/env bash
# Runs every fuzz target for some seconds each, three by default: ci/fuzz.sh 60. A finding is stored
# in its package's testdata/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3}
count=0
while IFS=: read -r file function; do
	name=${function#func }
	name=${name%%(*}
	echo "== $(dirname "$file") $name"
	said=$(cd "$(dirname "$file")" && go test -run '^$' -fuzz "^$name\$" -fuzztime "${seconds}s" -fuzzminimizetime 1s -parallel 2 . 2>&1) ||
		{ echo "$said"; exit 1; }
	count=$((count + 1))
done < <(grep -r --include='*_test.go' '^func Fuzz' .)
((count > 0))
