//go:build !unix

package platform

// withoutWaiting is nothing where opening a path waits for nobody.
const withoutWaiting = 0
