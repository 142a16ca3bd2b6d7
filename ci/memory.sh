#!/usr/bin/env bash
# The runs that find memory which the collector and C disagree about, all of them unless some are
# named:
#   freed      freed objects are overwritten, and every allocation collects
#   moved      stacks move at every call
#   pointers   conversions of pointers are checked without cgo, as the race detector checks them with it
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(./abi/... ./arena ./deferred ./internal/inflight ./loader ./uform ./internal/mpi)
module=$(go list -m)
[ $# -gt 0 ] || set -- freed moved pointers
for run in "$@"; do
	echo "== $run"
	case $run in
	freed)
		# Through -exec, so that the compilers collect as they always do. A test that starts the go command would slow it.
		CGO_ENABLED=0 go run ./ci/testcount -short -exec 'env GODEBUG=clobberfree=1 GOGC=1' "${packages[@]}"
		;;
	moved)
		flags=()
		for package in abi arena internal/lending deferred internal/inflight loader uform; do
			flags+=("-gcflags=$module/$package=-d=maymorestack=runtime.mayMoreStackMove")
		done
		CGO_ENABLED=0 go run ./ci/testcount -short "${flags[@]}" ./arena ./deferred ./internal/inflight ./loader
		;;
	pointers)
		CGO_ENABLED=0 go run ./ci/testcount -short -gcflags=all=-d=checkptr "${packages[@]}" ./engine
		;;
	*)
		echo "no run $run" >&2
		exit 2
		;;
	esac
done
