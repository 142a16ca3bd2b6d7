//go:build !amd64

package kernel

// There are no other loops for this processor.

func media() *mediaRoutines { return &mediaPortable }

func decoders() *decoderRoutines { return &decodersPortable }
