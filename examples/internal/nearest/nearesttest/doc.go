// Package nearesttest runs the examples over package nearest as their tests do.
package nearesttest
