#!/usr/bin/env bash
# The runs that find memory which the collector and C disagree about: freed objects are overwritten and every allocation
# collects; stacks move at every call; pointer conversions are checked.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(./abi/... ./arena ./deferred ./loader ./uform ./internal/mpi)
module=$(go list -m)

echo "== freed memory is overwritten, the collector never rests"
CGO_ENABLED=0 GODEBUG=clobberfree=1 GOGC=1 go run ./ci/testcount -short "${packages[@]}"
echo "== stacks move at every call"
flags=()
for package in abi arena deferred loader uform; do
	flags+=("-gcflags=$module/$package=-d=maymorestack=runtime.mayMoreStackMove")
done
CGO_ENABLED=0 go run ./ci/testcount -short "${flags[@]}" ./arena ./deferred ./loader
echo "== pointers are checked"
CGO_ENABLED=0 go run ./ci/testcount -short -gcflags=all=-d=checkptr "${packages[@]}" ./engine
