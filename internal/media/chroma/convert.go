package chroma

import "github.com/unum-cloud/uform-go/internal/kernel"

// FullRange converts a row of JPEG's colours, as [kernel.FullRange] does.
func FullRange(rgb, y, cb, cr []byte) { kernel.FullRange(rgb, y, cb, cr) }

// LimitedRange converts a row of VP8's colours, as [kernel.LimitedRange] does.
func LimitedRange(rgb, y, cb, cr []byte) { kernel.LimitedRange(rgb, y, cb, cr) }
