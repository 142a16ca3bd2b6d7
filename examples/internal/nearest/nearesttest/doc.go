// Package nearesttest runs the examples that use package nearest, for their tests.
package nearesttest
