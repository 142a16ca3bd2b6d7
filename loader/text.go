package loader

import "github.com/unum-cloud/uform-go/abi"

// goString copies the NUL-terminated text at an address of the library's, empty for none.
func goString(address uintptr) string { return abi.TextAt(address) }

// cString copies a text and ends it with a NUL. What follows a NUL inside of it does not exist for C.
func cString(text string) *byte {
	bytes := make([]byte, len(text)+1)
	copy(bytes, text)
	return &bytes[0]
}
