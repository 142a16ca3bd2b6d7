#!/usr/bin/env bash
# Tests the library in other users' setups: in a module of their own, with cgo and without,
# vendored, stripped, under the race detector, beside code that loads libraries with purego itself
# (reported fault 14: two users with a fake cgo each), and as a static program in an empty root.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
module=$(cd "$root" && go list -m)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > main.go <<GO
package main

import (
	"context"
	"fmt"
	"os"

	"$module/uform"
	"$module/uform/mini"
)

func main() {
	library, err := uform.Open(nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	model, err := mini.Load(context.Background(), library, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	vectors, err := model.Embed(context.Background(), []string{"a cat", "a dog"})
	fmt.Println(library.Origin().Kind, len(vectors), len(vectors[0]), err, other())
}
GO
# README's first program, unchanged, and its output.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$root/README.md" | sed '1d; /^```$/,$d'; }
mkdir readme
block go > readme/main.go
printed=$(block text)
cat > other.go <<'GO'
//go:build !uform_static && !windows

package main

import (
	"math"

	"github.com/ebitengine/purego"
)

// other is another user of purego in the same program.
func other() bool {
	handle, err := purego.Dlopen("libm.so.6", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		panic(err)
	}
	var cosine func(float64) float64
	purego.RegisterLibFunc(&cosine, handle, "cos")
	return math.Abs(cosine(0)-1) < 1e-12
}
GO
cat > other_static.go <<'GO'
//go:build uform_static || windows

package main

func other() bool { return true }
GO
cat > main_test.go <<'GO'
package main

import "testing"

func TestMain(t *testing.T) { main() }
GO
sed -i 's/func TestMain(t/func TestProgram(t/' main_test.go
cat > go.mod <<MOD
module scratch

go 1.26

require $module v0.0.0

replace $module => $root
MOD
go mod tidy >/dev/null 2>&1
library=$(cd "$root" && go run ./ci/libuform)
want() {
	local got
	got=$("${@:2}")
	[ "$got" = "$1" ] || { echo "FAILED: $* printed $got"; exit 1; }
	echo "ok: ${*:2}"
}
go vet ./...
for cgo in 0 1; do
	export CGO_ENABLED=$cgo
	go build -o first ./readme && want "$printed" ./first
	go build -o plain . && want "embedded 2 192 <nil> true" ./plain
	go build -trimpath -ldflags='-s -w' -o stripped . && want "embedded 2 192 <nil> true" ./stripped
	want "native 2 192 <nil> true" env UFORM_LIBRARY="$library" ./stripped
done
CGO_ENABLED=1 UFORM_LIBRARY="$library" go test -race ./... >/dev/null
echo "ok: under the race detector"
export CGO_ENABLED=0
go mod vendor
go vet -mod=vendor ./...
go build -mod=vendor -o vendored .
want "embedded 2 192 <nil> true" ./vendored
for target in windows/amd64 darwin/arm64 linux/arm js/wasm; do
	GOOS=${target%/*} GOARCH=${target#*/} go build -o /dev/null ./readme
done
echo "ok: cross-compiled"
go build -tags uform_static -o static .
mkdir empty
cp static empty/
want "embedded 2 192 <nil> true" chroot empty /static
