#!/usr/bin/env bash
# Runs every check, before an issue is called resolved: the steps of .ci/run, then those that take
# too long for every change. Writes all.txt, which is committed: when all checks last passed, on
# which machine, and what each step took. After a failure it continues with the step that failed, if
# the commit is the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
commit=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || { echo "commit first: all.txt names the commit that was checked"; exit 1; }
steps_kept=$(git rev-parse --git-dir)/steps-$commit
. .ci/run

step 120 vulnerabilities bash ci/vulnerabilities.sh
step 400 "the C library, every compiler" make -s -C testdata/libuform test thread cross
# The examples of media are left out: their goroutines share only the library, and they draw for
# minutes under the race detector.
step 600 "race, all packages" env CGO_ENABLED=1 go run ./ci/testcount -race \
	$(go list ./... | grep -v '/examples/\(images\|audio\|video\)$')
step 120 "memory, pointers" bash ci/memory.sh pointers
step 180 fuzzing bash ci/fuzz.sh
step 400 "a pipeline of Beam" bash ci/beam.sh
step 100 "kernels in Go, all of the contract" env UFORM_KERNEL=portable go run ./ci/testcount ./internal/model ./internal/trunk ./internal/contract
step 60 "kernels of AVX2, all of the contract" env UFORM_KERNEL=avx2 go run ./ci/testcount ./internal/model ./internal/trunk ./internal/contract
step 120 "the portable call, all packages" env CGO_ENABLED=0 go run ./ci/testcount -tags uform_portable ./loader ./uform/... ./internal/contract ./internal/faults ./internal/hostile
step 120 "no loader, all packages" env CGO_ENABLED=0 go run ./ci/testcount -tags uform_static ./uform/... ./internal/contract ./internal/faults ./internal/hostile ./loader ./platform ./internal/mpi
step 1800 "every platform" bash ci/platforms.sh

machine() {
	local model system
	model=$(sed -n 's/^model name.*: //p' /proc/cpuinfo | uniq)
	system=$(. /etc/os-release && echo "$PRETTY_NAME")
	echo "$model, $(nproc) cores, $(uname -sr), $system, $(go env GOVERSION)"
}

{
	echo "ci/all.sh writes this when everything held."
	echo
	echo "date     $(date -u +%F)"
	echo "commit   $commit"
	echo "machine  $(machine)"
	echo
	steps_table
} >ci/all.txt
