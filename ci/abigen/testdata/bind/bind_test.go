package loader

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/unum-cloud/uform-go/abi"
)

// filled is a table bound to the addresses 1, 2, 3 and so on, in the order of the symbols.
func filled() *abi.Library {
	addresses := make([]uintptr, len(abi.Symbols))
	for i := range addresses {
		addresses[i] = uintptr(i + 1)
	}
	library := &abi.Library{}
	bind(library, addresses)
	return library
}

// Every field of the table calls the function that its symbol names, with the argument it was given.
func TestEveryFieldCallsItsSymbol(t *testing.T) {
	library := reflect.ValueOf(filled()).Elem()
	for i, symbol := range abi.Symbols {
		name := library.Type().Field(i).Name
		if squeezed := strings.ReplaceAll(strings.TrimPrefix(symbol.Name, "uform_"), "_", ""); squeezed != strings.ToLower(name) {
			t.Fatalf("symbol %s stands where the table has %s", symbol.Name, name)
		}
		function := library.Field(i)
		var arguments []reflect.Value
		var pointer unsafe.Pointer
		for j := range function.Type().NumIn() {
			argument := reflect.New(function.Type().In(j)).Elem()
			if argument.Kind() == reflect.Pointer {
				argument = reflect.New(argument.Type().Elem())
				pointer = argument.UnsafePointer()
			}
			arguments = append(arguments, argument)
		}
		asked.function, asked.argument, asked.arguments = 0, nil, nil
		function.Call(arguments)
		if asked.function != uintptr(i+1) {
			t.Errorf("%s calls function %d, its symbol is %d", name, asked.function, i+1)
		}
		if asked.primitive != "syscallN" && asked.argument != pointer {
			t.Errorf("%s passes another argument than it was given", name)
		}
		if asked.primitive == "syscallN" && len(asked.arguments) != function.Type().NumIn() {
			t.Errorf("%s passes %d arguments, it takes %d", name, len(asked.arguments), function.Type().NumIn())
		}
	}
}

func TestNumbersPassWhole(t *testing.T) {
	library := filled()
	library.ArenaFree(abi.Arena(^uintptr(0) - 15))
	if asked.primitive != "syscallN" || asked.arguments[0] != ^uintptr(0)-15 {
		t.Errorf("the handle became %#x", asked.arguments[0])
	}
	library.ModelFree(7)
	if asked.arguments[0] != 7 {
		t.Errorf("the handle became %d", asked.arguments[0])
	}

	statusAnswer = -2
	if got := library.OutcomeWait(&abi.Outcome{}); got != abi.StatusInvalidArgument || asked.primitive != "callStatus" {
		t.Errorf("%s of %v", asked.primitive, got)
	}
	library.OutcomeStatus(nil)
	if asked.argument != nil {
		t.Error("a nil outcome was replaced")
	}

	// A register's upper half is undefined behind an int.
	wide := uintptr(unsafe.Sizeof(uintptr(0))) / 8 * (0xdead << 16 << 16)
	wordAnswer = wide | 4
	if got := library.VersionMajor(); got != 4 {
		t.Errorf("version %d", got)
	}
	wordAnswer = ^uintptr(0)
	if got := library.LayoutOf("uform_outcome_t.status"); got != ^uintptr(0) || asked.text != "uform_outcome_t.status" {
		t.Errorf("layout %d of %q", got, asked.text)
	}
	if got := library.StatusToString(abi.StatusContended); got != "what the library says" || asked.arguments[0] != ^uintptr(0)-3 {
		t.Errorf("status %#x is %q", asked.arguments[0], got)
	}

	var compiled, detected uint64
	library.Capabilities(&compiled, &detected)
	if asked.arguments[0] != uintptr(unsafe.Pointer(&compiled)) || asked.arguments[1] != uintptr(unsafe.Pointer(&detected)) {
		t.Error("the masks trade places")
	}
	library.Capabilities(nil, nil)
	if asked.arguments[0] != 0 || asked.arguments[1] != 0 {
		t.Error("a nil mask is not NULL")
	}
}

// lacking is a table bound to a library without its optional functions.
func lacking() *abi.Library {
	addresses := make([]uintptr, len(abi.Symbols))
	for i, symbol := range abi.Symbols {
		if !symbol.Optional {
			addresses[i] = uintptr(i + 1)
		}
	}
	// A table may be bound twice; nothing of the first library may stay.
	library := filled()
	bind(library, addresses)
	return library
}

func TestMissingFunctionsHaveSafeStandIns(t *testing.T) {
	table := reflect.ValueOf(lacking()).Elem()
	mayBeNil := map[string]bool{
		"StatusToString": true, "VersionMajor": true, "VersionMinor": true, "VersionPatch": true,
		"LayoutOf": true, "Capabilities": true,
	}
	optional := 0
	for i, symbol := range abi.Symbols {
		name := table.Type().Field(i).Name
		if table.Field(i).IsNil() != mayBeNil[name] {
			t.Errorf("%s is nil: %v", name, table.Field(i).IsNil())
		}
		if !symbol.Optional || table.Field(i).IsNil() {
			continue
		}
		optional++
		asked.function = 0
		argument := reflect.New(table.Field(i).Type().In(0)).Elem()
		if argument.Kind() != reflect.Pointer {
			table.Field(i).Call([]reflect.Value{argument}) // a free: nothing to free, nothing happens
		} else {
			refuses(t, name, table.Field(i), reflect.New(argument.Type().Elem()))
		}
		if asked.function != 0 {
			t.Errorf("%s calls something", name)
		}
	}
	if optional != 15 {
		t.Errorf("%d optional functions have a stand-in", optional)
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
