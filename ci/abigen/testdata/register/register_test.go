package loader

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/native"
)

const handle = 77

// addresses are 1, 2, 3 and so on, in the order of the symbols, and zero for those that lack.
func addresses(lacks func(abi.Symbol) bool) []uintptr {
	all := make([]uintptr, len(abi.Symbols))
	for i, symbol := range abi.Symbols {
		if !lacks(symbol) {
			all[i] = uintptr(i + 1)
		}
	}
	return all
}

func none(abi.Symbol) bool            { return false }
func optional(symbol abi.Symbol) bool { return symbol.Optional }

// filled is a table of a library with every function, before and after the direct calls.
func filled(replaced bool) *abi.Library {
	library := &abi.Library{}
	register(library, handle, addresses(none))
	if replaced {
		direct(library, addresses(none))
	}
	return library
}

// Every field of the table is registered under the name of its symbol. The functions of one pointer
// to a struct are then called directly, and no others.
func TestEveryFieldCallsItsSymbol(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		library := reflect.ValueOf(filled(replaced)).Elem()
		for i, symbol := range abi.Symbols {
			name := library.Type().Field(i).Name
			if squeezed := strings.ReplaceAll(strings.TrimPrefix(symbol.Name, "uform_"), "_", ""); squeezed != strings.ToLower(name) {
				t.Fatalf("symbol %s stands where the table has %s", symbol.Name, name)
			}
			function := library.Field(i)
			var arguments []reflect.Value
			for j := range function.Type().NumIn() {
				argument := reflect.New(function.Type().In(j)).Elem()
				if argument.Kind() == reflect.Pointer {
					argument = reflect.New(argument.Type().Elem())
				}
				arguments = append(arguments, argument)
			}
			native.Called.Function, native.Called.Argument = 0, nil
			native.Called.Handle, native.Called.Name, native.Called.Arguments = 0, "", nil
			function.Call(arguments)
			if replaced && takesStruct(function.Type()) {
				if native.Called.Function != uintptr(i+1) || native.Called.Argument != arguments[0].UnsafePointer() || native.Called.Name != "" {
					t.Errorf("%s calls function %d, its symbol is %d; and %q", name, native.Called.Function, i+1, native.Called.Name)
				}
				continue
			}
			if native.Called.Function != 0 || native.Called.Name != symbol.Name || native.Called.Handle != handle ||
				len(native.Called.Arguments) != len(arguments) {
				t.Errorf("%s calls %+v", name, native.Called)
			}
		}
	}
}

// takesStruct is whether a function takes one pointer to a struct.
func takesStruct(function reflect.Type) bool {
	return function.NumIn() == 1 && function.In(0).Kind() == reflect.Pointer && function.In(0).Elem().Kind() == reflect.Struct
}

func TestDirectCallsPassWhole(t *testing.T) {
	library := filled(true)
	native.Result = int32(abi.StatusInvalidArgument)
	if got := library.OutcomeWait(&abi.Outcome{}); got != abi.StatusInvalidArgument {
		t.Errorf("%v", got)
	}
	native.Called.Argument = unsafe.Pointer(library)
	library.OutcomeStatus(nil)
	if native.Called.Argument != nil {
		t.Error("a nil outcome was replaced")
	}
}

// lacking is a table of a library without its optional functions.
func lacking() *abi.Library {
	library := filled(true) // a table may be filled twice; nothing of the first library may stay
	register(library, handle, addresses(optional))
	direct(library, addresses(optional))
	return library
}

func TestMissingFunctionsHaveSafeStandIns(t *testing.T) {
	table := reflect.ValueOf(lacking()).Elem()
	mayBeNil := map[string]bool{
		"StatusToString": true, "VersionMajor": true, "VersionMinor": true, "VersionPatch": true,
		"LayoutOf": true, "Capabilities": true,
	}
	standIns := 0
	for i, symbol := range abi.Symbols {
		name := table.Type().Field(i).Name
		if table.Field(i).IsNil() != mayBeNil[name] {
			t.Errorf("%s is nil: %v", name, table.Field(i).IsNil())
		}
		if !symbol.Optional || table.Field(i).IsNil() {
			continue
		}
		standIns++
		native.Called.Function, native.Called.Name = 0, ""
		argument := reflect.New(table.Field(i).Type().In(0)).Elem()
		if argument.Kind() != reflect.Pointer {
			// A free with nothing to free does nothing.
			table.Field(i).Call([]reflect.Value{argument})
		} else {
			refuses(t, name, table.Field(i), reflect.New(argument.Type().Elem()))
		}
		if native.Called.Function != 0 || native.Called.Name != "" {
			t.Errorf("%s calls something", name)
		}
	}
	if standIns != 15 {
		t.Errorf("%d optional functions have a stand-in", standIns)
	}
}

// refuses calls a stand-in with every output asked for and full of rubbish, and without any.
func refuses(t *testing.T, name string, function, arguments reflect.Value) {
	function.Call([]reflect.Value{arguments})

	outcome := &abi.Outcome{Status: abi.StatusUnknown, Item: 9, Message: 8, Call: 7}
	rubbish := abi.RowsView{Data: unsafe.Pointer(outcome), Stride: 1, Columns: 2, Scalar: abi.ScalarF32}
	rows, tape, states := rubbish, abi.RowsTapeView{Rows: rubbish, Offsets: unsafe.Pointer(outcome)}, abi.RowsTapeView{Rows: rubbish}
	executor, model, trainer := abi.Executor(3), abi.Model(4), abi.Trainer(5)
	questions := uint32(6)
	full := arguments.Elem()
	outputs := 0
	for _, output := range []struct {
		field string
		value any
	}{
		{"Outcome", outcome}, {"Embeddings", &rows}, {"States", &states}, {"Probabilities", &tape},
		{"Executor", &executor}, {"Model", &model}, {"Trainer", &trainer}, {"QuestionTypes", &questions},
	} {
		field := full.FieldByName(output.field)
		if field.IsValid() && field.Type() == reflect.TypeOf(output.value) {
			field.Set(reflect.ValueOf(output.value))
			outputs++
		}
	}
	before := reflect.New(full.Type()).Elem()
	before.Set(full)
	function.Call([]reflect.Value{arguments})
	if !reflect.DeepEqual(before.Interface(), full.Interface()) {
		t.Errorf("%s changes its argument struct", name)
	}
	if *outcome != (abi.Outcome{Status: abi.StatusUnsupported, Item: -1}) {
		t.Errorf("%s leaves %+v", name, *outcome)
	}
	if questions != 6 {
		t.Errorf("%s writes an input", name)
	}
	if has(full, "Embeddings") && rows != (abi.RowsView{}) || has(full, "States") && states != (abi.RowsTapeView{}) ||
		has(full, "Probabilities") && tape != (abi.RowsTapeView{}) {
		t.Errorf("%s leaves a view", name)
	}
	for field, left := range map[string]bool{"Executor": executor != 0, "Model": model != 0, "Trainer": trainer != 0} {
		if full.FieldByName(field).Kind() == reflect.Pointer && left {
			t.Errorf("%s leaves its output %s", name, field)
		}
	}
	if outputs == 0 {
		t.Errorf("%s was asked for nothing", name)
	}
}

func has(arguments reflect.Value, field string) bool { return arguments.FieldByName(field).IsValid() }
