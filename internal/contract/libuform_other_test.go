//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package contract_test

import (
	"testing"

	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/platform"
)

// openLibuform has nothing to open: this build loads no shared libraries.
func openLibuform(*testing.T) (*implementation, string) { return nil, platform.Unsupported().Error() }

// letGo has nothing to call: this build has no consumers.
func letGo(_ *user, export *arena.DLPack) { export.Release() }
