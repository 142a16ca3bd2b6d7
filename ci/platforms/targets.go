//go:build linux

package main

import (
	"os/exec"
	"strings"
)

// platform is one way to run the tests.
type platform struct {
	// name is how the command line and the page call it, by what runs it.
	name, by string
	// target is GOOS/GOARCH.
	target string
	// toolchain is a release of Go, empty for the one that runs this program.
	toolchain string
	cgo       bool
	tags      string
	// interpreter is the dynamic loader that the linker names, empty if its default is right.
	interpreter string
	environment []string
	// emulator is a program of package qemu-user that is registered with the kernel.
	emulator string
	// probe is a target whose programs the kernel must start itself. It is empty for the machine's
	// own target and if an emulator starts them.
	probe string
	// root is what a test sees of the file system besides the module and temporary files, nil if it
	// sees everything.
	root []string
	// compiler is the one that tests use through remotecc, with its arguments, empty if they can
	// start one.
	compiler string
	// wine reports that Wine runs the tests.
	wine bool
	// script starts an example under Node. Such platforms run no tests.
	script []string
	// trial marks a platform that runs only if it is named, since it is not proven yet.
	trial bool
	// without is why no shared library is loaded there, empty where one must be.
	without  string
	packages []string
}

// conformance is the smallest set of packages that proves an implementation; lower is everything
// below the public packages that differs between platforms.
var (
	conformance = []string{"./internal/contract"}
	lower       = []string{"./abi/...", "./arena", "./deferred", "./errors", "./loader/...", "./platform"}
	public      = []string{"./uform", "./internal/contract"}
	// engine leaves out ./internal/mpi, whose tests start processes with the machine's own MPI.
	engine = []string{"./engine", "./internal/fold", "./internal/kernel", "./internal/media/...", "./internal/model", "./internal/trunk", "./engine/train"}
)

func join(sets ...[]string) (all []string) {
	for _, set := range sets {
		all = append(all, set...)
	}
	return all
}

// newest is the newest release of Go, and oldest the one that go.mod asks for.
const newest, oldest = "go1.27.3", "go1.26.0"

// platforms are all that this machine can run, in the page's order.
func platforms() []platform {
	return []platform{
		{name: "linux/amd64", by: "the kernel", target: "linux/amd64", packages: join(lower, public)},
		{name: "cgo", by: "the kernel, built with cgo", target: "linux/amd64", cgo: true, packages: conformance},
		{name: "newest", by: "the kernel, built by " + newest, target: "linux/amd64", toolchain: newest, packages: join(conformance, []string{"./loader"})},
		{name: "oldest", by: "the kernel, built by " + oldest, target: "linux/amd64", toolchain: oldest, packages: conformance},
		{
			name: "musl", by: "the kernel, in a root with musl alone", target: "linux/amd64", interpreter: "/lib/ld-musl-x86_64.so.1",
			root: []string{"/lib/ld-musl-x86_64.so.1"}, compiler: "musl-gcc", packages: join(lower, conformance),
		},
		{
			name: "static", by: "the kernel, in a root without any library", target: "linux/amd64", tags: "uform_static", root: []string{},
			without: "the tag `uform_static` leaves it out", packages: join(lower, public),
		},
		{
			name: "linux/386", by: "the kernel", target: "linux/386", probe: "linux/386", packages: join(lower, public, engine),
		},
		{
			name: "linux/arm64", by: "qemu-user", target: "linux/arm64", emulator: "qemu-aarch64",
			environment: []string{"QEMU_LD_PREFIX=/usr/aarch64-linux-gnu"}, packages: join(lower, public, []string{"./internal/kernel"}),
		},
		{
			name: "linux/arm", by: "qemu-user", target: "linux/arm", emulator: "qemu-arm", interpreter: "/lib/ld-linux-armhf.so.3",
			environment: []string{"QEMU_LD_PREFIX=/usr/arm-linux-gnueabihf"}, packages: join(lower, conformance),
		},
		{
			name: "linux/riscv64", by: "qemu-user", target: "linux/riscv64", emulator: "qemu-riscv64", interpreter: "/lib/ld-linux-riscv64-lp64d.so.1",
			environment: []string{"QEMU_LD_PREFIX=/usr/riscv64-linux-gnu"}, packages: join(lower, conformance),
		},
		{
			name: "windows/amd64", by: "Wine", target: "windows/amd64", wine: true,
			compiler: "x86_64-w64-mingw32-gcc", packages: join(lower, public),
		},
		{
			name: "windows/386", by: "Wine", target: "windows/386", wine: true, trial: true, probe: "linux/386",
			compiler: "i686-w64-mingw32-gcc", packages: join(lower, public),
		},
		{
			name: "js/wasm", by: "Node, one example", target: "js/wasm", script: []string{"node", "lib/wasm/wasm_exec_node.js"},
			without: "no way to load one without cgo",
		},
		{
			name: "wasip1/wasm", by: "Node, one example", target: "wasip1/wasm", script: []string{"node", "--no-warnings", "ci/platforms/wasip1.mjs"},
			without: "no way to load one without cgo",
		},
	}
}

// missing returns the first requirement of a platform that this machine lacks.
func (p *platform) missing() string {
	needs := []string{"go"}
	if p.compiler != "" {
		needs = append(needs, strings.Fields(p.compiler)[0])
	}
	if p.emulator != "" {
		needs = append(needs, p.emulator)
	}
	needs = append(needs, p.script[:min(1, len(p.script))]...)
	for _, need := range needs {
		if _, err := exec.LookPath(need); err != nil {
			return need
		}
	}
	return ""
}

// label is the platform's name in the page.
func (p *platform) label() string {
	if strings.Contains(p.name, "/") {
		return p.name
	}
	return p.target + ", " + p.name
}
