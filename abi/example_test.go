package abi_test

import (
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
)

// Every implementation of the table is called as the C header says.
func Example() {
	library := engine.New()
	var arena abi.Arena
	outcome := new(abi.Outcome)
	library.ArenaInit(&abi.ArenaInit{Arena: &arena, Outcome: outcome})
	description := new(abi.ArenaDescription)
	library.ArenaDescribe(&abi.ArenaDescribe{Arena: arena, Outcome: outcome, Description: description})
	fmt.Println(outcome.Status, description.Residency, description.Device)
	library.ArenaFree(arena)

	library.ArenaDescribe(&abi.ArenaDescribe{Outcome: outcome, Description: description})
	fmt.Println(outcome.Status, "-", abi.TextAt(outcome.Message))
	// Output:
	// success ram -1
	// invalid_argument - the arena is NULL
}
