#!/usr/bin/env bash
# Compiles an example, and with it the library, without cgo for every target that Go has and people use, with the loader of shared
# libraries where it exists, and without it.
set -euo pipefail
cd "$(dirname "$0")/.."
targets=(
	linux/amd64 linux/arm64 linux/386 linux/arm linux/riscv64 linux/loong64 linux/ppc64le linux/s390x linux/ppc64
	linux/mips64le android/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 windows/386 freebsd/amd64
	netbsd/amd64 openbsd/amd64 dragonfly/amd64 solaris/amd64 plan9/amd64 js/wasm wasip1/wasm
)
failed=0
for target in "${targets[@]}"; do
	for tags in "" uform_static; do
		if CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build -tags "$tags" -o /dev/null ./examples/encode; then
			result=ok
		else
			result=FAILED failed=1
		fi
		printf '%-16s %-13s %s\n' "$target" "${tags:-default}" "$result"
	done
done
exit $failed
