// Package purego stands in for the real one.
package purego

import "reflect"

// Called is the last call of a registered function.
var Called struct {
	Handle    uintptr
	Name      string
	Arguments []reflect.Value
}

// RegisterLibFunc sets a function variable to one that records its call and returns zeros.
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
