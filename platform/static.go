//go:build uform_static

package platform

// reason is why this build loads no shared libraries.
func reason() string {
	return "built with the tag uform_static, which leaves the loader of shared libraries out"
}
