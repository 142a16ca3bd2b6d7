package raster

// These are for tests, which see them through files too, but not every corner of them.
var (
	Turn            = turn
	ExifOrientation = exifOrientation
	DecodeWith      = decodeWith
)
