//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
)

// compilers serves remotecc on the loopback interface until it is closed. It runs one compiler and
// no other command.
type compilers struct {
	net.Listener
	compiler string
	// drives is the folder of Wine's drives, empty if paths are Unix paths.
	drives string
}

func serveCompiler(compiler, drives string) (*compilers, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	served := &compilers{listener, compiler, drives}
	go func() {
		for {
			connection, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				go served.answer(connection)
			}
		}
	}()
	return served, nil
}

func (c *compilers) answer(connection net.Conn) {
	defer connection.Close()
	var asked []string // the folder, the compiler, its arguments
	if json.NewDecoder(connection).Decode(&asked) != nil || len(asked) < 2 {
		return
	}
	answer := struct {
		Said   string
		Status int
	}{"only " + c.compiler + " is served", 1}
	if asked[1] == c.compiler {
		for i := range asked {
			asked[i] = c.path(asked[i])
		}
		command := exec.Command(asked[1], asked[2:]...)
		command.Dir = asked[0]
		said, err := command.CombinedOutput()
		answer.Said, answer.Status = string(said), command.ProcessState.ExitCode()
		if command.ProcessState == nil {
			answer.Said, answer.Status = err.Error(), 1
		}
	}
	json.NewEncoder(connection).Encode(answer) //nolint:errcheck // the client is gone
}

// path returns an argument with this system's path: an argument that is no option and contains a
// backslash is a path of Wine.
func (c *compilers) path(argument string) string {
	if c.drives == "" || strings.HasPrefix(argument, "-") {
		return argument
	}
	argument = strings.ReplaceAll(argument, `\`, "/")
	if len(argument) > 2 && argument[1] == ':' && argument[2] == '/' {
		drive, err := filepath.EvalSymlinks(filepath.Join(c.drives, strings.ToLower(argument[:2])))
		if err == nil {
			return filepath.Join(drive, argument[2:])
		}
	}
	return argument
}
