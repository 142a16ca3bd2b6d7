//go:build linux

package main

// short are the packages that run on a platform before every change lands. One platform stands for
// each way in which they differ: without cgo, another C library, none, words of 32 bits, another
// processor, another system, no threads. Each runs the contract, and what is beneath it and
// differs. The other platforms differ from one of these in the release of Go or in the processor
// alone.
var short = map[string][]string{
	"linux/amd64":   join(conformance, loading),
	"musl":          join(conformance, loading),
	"static":        join(conformance, []string{"./platform"}),
	"linux/386":     join(conformance, loading, []string{"./internal/kernel", "./internal/model"}),
	"linux/arm64":   join(conformance, loading, []string{"./internal/kernel"}),
	"windows/amd64": join(conformance, loading),
	"js/wasm":       nil,
}

// loading are the packages that call what the system has, each in its own way.
var loading = []string{"./loader", "./platform"}

// shortTargets are compiled before every change lands: a system of each kind that is not above.
// Without cgo, Darwin loads shared libraries, FreeBSD does not, and Plan 9 is no Unix, with words
// of 32 bits.
var shortTargets = []string{"darwin/arm64", "freebsd/amd64", "plan9/386"}

// shortened returns the platforms that short names, each with those packages alone.
func shortened(all []platform) (few []platform) {
	for _, p := range all {
		if packages, named := short[p.name]; named {
			p.packages = packages
			few = append(few, p)
		}
	}
	return few
}
