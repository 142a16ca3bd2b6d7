package native_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/native"
)

// symbol is the address of a function of the library.
func symbol(t testing.TB, handle uintptr, name string) uintptr {
	t.Helper()
	address, err := native.Symbol(handle, name)
	require.NoError(t, err)
	return address
}

// Every way to call one function has the same result.
func TestCalls(t *testing.T) {
	handle := opened(t)
	difference, digits := symbol(t, handle, "uform_test_difference"), symbol(t, handle, "uform_test_digits")
	numbers := &[2]int32{3, 10}
	require.Equal(t, int32(-7), native.Call(difference, unsafe.Pointer(numbers)))
	result, _ := native.SyscallN(difference, uintptr(unsafe.Pointer(numbers)))
	require.Equal(t, int32(-7), int32(result))
	var byAddress, byName func(*[2]int32) int32
	native.RegisterFunc(&byAddress, difference)
	native.RegisterLibFunc(&byName, handle, "uform_test_difference")
	require.Equal(t, int32(-7), byAddress(numbers))
	require.Equal(t, int32(-7), byName(numbers))

	result, _ = native.SyscallN(digits, 1, 2, 3)
	require.EqualValues(t, 123, result)
	var words func(hundreds, tens, ones uintptr) uintptr
	native.RegisterFunc(&words, digits)
	require.EqualValues(t, 123, words(1, 2, 3))
	require.Panics(t, func() { native.RegisterLibFunc(&words, handle, "uform_test_absent") })
}

func TestCallback(t *testing.T) {
	report := symbol(t, opened(t), "uform_test_report")
	callback, err := native.Callback(func(_ native.CDecl, first, second uintptr) uintptr { return 10*first + second })
	require.NoError(t, err)
	result, _ := native.SyscallN(report, callback, 4, 2)
	require.EqualValues(t, 43, result)
	_, err = native.Callback("no function")
	require.ErrorContains(t, err, "make a callback: ")
}
