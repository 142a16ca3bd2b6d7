//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package native

// Supported is whether this build can load shared libraries. [Unsupported] has the reason where it
// cannot.
const Supported = false

// CDecl is the first parameter of a function that [Callback] takes.
type CDecl struct{}

// The functions that are exported test [Supported] first; these complete them for the compiler.

func open(string) (uintptr, error) { return 0, Unsupported() }

func lookup(uintptr, string) (uintptr, error) { return 0, Unsupported() }

func keepSignals() (restore func()) { return func() {} }

func registerFunc(any, uintptr) { panic(Unsupported()) }

func registerLibFunc(any, uintptr, string) { panic(Unsupported()) }

func syscallN(uintptr, ...uintptr) (lower, upper uintptr) { panic(Unsupported()) }

func newCallback(any) uintptr { panic(Unsupported()) }
