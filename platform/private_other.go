//go:build !linux || android

package platform

import "errors"

func memoryFile([]byte, string) (string, func() error, error) { return "", nil, errors.ErrUnsupported }
