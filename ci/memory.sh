#!/usr/bin/env bash
# The runs that find memory which the collector and C disagree about, all of them unless some are
# named:
#   freed      freed objects are overwritten, and every allocation collects
#   moved      stacks move at every call
#   pointers   conversions of pointers are checked without cgo, as the race detector checks them with it
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(./abi/... ./arena ./deferred ./loader ./uform ./internal/mpi)
module=$(go list -m)
[ $# -gt 0 ] || set -- freed moved pointers
for run in "$@"; do
	echo "== $run"
	case $run in
	freed)
		# The settings are passed through -exec, so that compilers run without them. A test that
		# starts the go command would be slow.
		CGO_ENABLED=0 go run ./ci/testcount -short -skip '^TestREADME' -exec 'env GODEBUG=clobberfree=1 GOGC=1' "${packages[@]}"
		;;
	moved)
		flags=()
		for package in abi arena deferred loader uform; do
			flags+=("-gcflags=$module/$package=-d=maymorestack=runtime.mayMoreStackMove")
		done
		CGO_ENABLED=0 go run ./ci/testcount -short "${flags[@]}" ./arena ./deferred ./loader
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
