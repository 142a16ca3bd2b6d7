// Package native stands in for the real one: it calls nothing, and remembers what it was asked to
// call.
package native

import (
	"reflect"
	"unsafe"
)

// Called is the last call: of a registered function, or a direct one.
var Called struct {
	Handle    uintptr
	Name      string
	Arguments []reflect.Value

	Function uintptr
	Argument unsafe.Pointer
}

// Result is what the next direct call returns.
var Result int32

// Call remembers its function and argument.
func Call(function uintptr, argument unsafe.Pointer) int32 {
	Called.Function, Called.Argument = function, argument
	return Result
}

// RegisterLibFunc fills a function variable with one that remembers its call and returns zeros.
func RegisterLibFunc(function any, handle uintptr, name string) {
	variable := reflect.ValueOf(function).Elem()
	variable.Set(reflect.MakeFunc(variable.Type(), func(arguments []reflect.Value) []reflect.Value {
		Called.Handle, Called.Name, Called.Arguments = handle, name, arguments
		var results []reflect.Value
		for i := range variable.Type().NumOut() {
			results = append(results, reflect.Zero(variable.Type().Out(i)))
		}
		return results
	}))
}
