#!/usr/bin/env bash
# Checks the sources without running a test: format, vet, staticcheck, and that the generated files
# are up to date.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(go env GOPATH)/bin

echo "== gofmt"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }

echo "== modules"
# A requirement that one module raises makes those that use it out of date.
git ls-files '*go.mod' | while read -r file; do
	go list -C "$(dirname "$file")" -m all >/dev/null || { echo "out of date: $file"; exit 1; }
done

echo "== vet"
go vet ./...
go vet -tags uform_static ./...
go vet -tags uform_text ./engine ./uform
for module in ci/abigen ci/bench ci/clients ci/kernelgen ci/textmodel cmd/uform; do
	go vet -C $module ./...
done

echo "== staticcheck"
"$bin/staticcheck" ./...
(cd cmd/uform && "$bin/staticcheck" ./...)

echo "== generated files"
go generate ./...
git diff --exit-code --stat -- '*_generated.go' '*_generated.h' '*.safetensors'
go run -C ci/kernelgen . -check
