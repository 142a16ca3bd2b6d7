// Command remotecc compiles where no compiler can be started: on Wine, and in a root without one.
// It sends its folder and its arguments, the compiler's name first, to the `platforms` command that
// listens at the address in UFORM_COMPILER_ADDRESS, and forwards the compiler's output and exit
// status.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
)

func main() {
	said, status, err := ask(os.Getenv("UFORM_COMPILER_ADDRESS"), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "remotecc:", err)
		os.Exit(1)
	}
	os.Stdout.WriteString(said)
	os.Exit(status)
}

func ask(address string, command []string) (said string, status int, err error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", 0, err
	}
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return "", 0, err
	}
	defer connection.Close()
	if err := json.NewEncoder(connection).Encode(append([]string{folder}, command...)); err != nil {
		return "", 0, err
	}
	answer := struct {
		Said   string
		Status int
	}{}
	err = json.NewDecoder(connection).Decode(&answer)
	return answer.Said, answer.Status, err
}
