#!/usr/bin/env bash
# What can be said of the sources without running a test: format, vet, staticcheck, known vulnerabilities, and that the
# generated files are what their generators write.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(go env GOPATH)/bin

echo "== gofmt"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }

echo "== vet"
go vet ./...
go vet -tags uform_static ./...
for module in abigen bench kernelgen textmodel; do
	go vet -C ci/$module ./...
done

echo "== staticcheck"
"$bin/staticcheck" ./...

echo "== generated files"
go generate ./...
git diff --exit-code --stat -- '*_generated.go' '*_generated.h' '*.safetensors'
go run -C ci/kernelgen . -check

# The database comes as a module, so that the check needs no other server than the one for modules. It is as old as that
# version; a newer one is a change of the line in install.sh.
echo "== govulncheck"
vulndb=$(go list -m -f '{{.Dir}}' golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018 2>/dev/null ||
	go mod download -json golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
"$bin/indexdb" -vulns "$vulndb/data/osv" -out "$database" 2>/dev/null
"$bin/govulncheck" -db "file://$database" ./...
