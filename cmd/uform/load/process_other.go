//go:build !linux

package main

import "math"

// Elsewhere they are not measured.
func processor(int) float64 { return math.NaN() }

func resident(int) float64 { return math.NaN() }
