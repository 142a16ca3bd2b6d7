#!/usr/bin/env bash
# Checks the library and the command with their dependencies for known vulnerabilities. The database
# comes as a module, so that the check needs no other server than the module proxy. It is as old as
# that version; to update it, change the line below. The standard library that is checked is that of
# the release below, which users should build with: it is the first without a fault that the
# database knows and a program here can reach.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v0.0.0-20261105234957-e22db6528018
vulndb=$(go mod download -json golang.org/x/vulndb@$version | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
go run golang.org/x/vulndb/cmd/indexdb@$version -vulns "$vulndb/data/osv" -out "$database"
export GOTOOLCHAIN=go1.26.10
for module in . cmd/uform uform/columnar; do
	echo "module $module"
	(cd "$module" && go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -db "file://$database" ./...)
done
