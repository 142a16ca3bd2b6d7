//go:build linux

package main

// short are the packages that run on a platform before every change lands. One platform stands for
// each difference: no cgo, another C library, no C library, 32-bit words, another processor,
// another system, no threads. Each runs the contract and the lower packages that differ there. The
// other platforms differ from one of these only in the release of Go or in the processor.
var short = map[string][]string{
	"linux/amd64":   join(conformance, loading),
	"musl":          join(conformance, loading),
	"static":        join(conformance, []string{"./platform"}),
	"linux/386":     join(conformance, loading, []string{"./internal/kernel", "./internal/model"}),
	"linux/arm64":   join(conformance, loading, []string{"./internal/kernel"}),
	"windows/amd64": join(conformance, loading),
	"js/wasm":       nil,
}

// loading are the packages that call the system's libraries, each in its own way.
var loading = []string{"./loader", "./platform"}

// shortTargets are compiled before every change lands: one of each kind of system that is not
// above. Without cgo, Darwin loads shared libraries, FreeBSD does not, and Plan 9 is not a Unix and
// has 32-bit words.
var shortTargets = []string{"darwin/arm64", "freebsd/amd64", "plan9/386"}

// shortened returns the platforms of short, each with only its packages.
func shortened(all []platform) (few []platform) {
	for _, p := range all {
		if packages, named := short[p.name]; named {
			p.packages = packages
			few = append(few, p)
		}
	}
	return few
}
