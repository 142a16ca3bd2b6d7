//go:build !uform_static

package platform

const static = false
