package loadertest

import "testing"

// Control is the address of uform_test_control, with which the C library plants faults and tells its counters. The table of its names
// is in testdata/libuform/control.h.
type Control uintptr

// NeedControl is the control of the library that [Need] built, with no fault planted now and none when the test ends.
func NeedControl(t testing.TB) Control {
	t.Helper()
	control, err := openControl(Need(t))
	if err != nil {
		t.Fatal(err)
	}
	control.Ask("reset", 0, nil)
	t.Cleanup(func() { control.Ask("reset", 0, nil) })
	return control
}
