package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
	"sync"
)

// checkedArchitectures are where the mirrors must keep the table, one for each way Go lays structs
// out.
var checkedArchitectures = []string{"amd64", "arm64", "riscv64", "386", "arm"}

// checkMirrors type-checks the generated package abi for several architectures. One of its files is
// the proof: a mirror that does not keep the table does not compile, here before anything is
// written and in every later build.
func checkMirrors(files []File) error {
	for _, arch := range checkedArchitectures {
		if err := checkMirrorsFor(arch, files); err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
	}
	return nil
}

// standard imports the few packages of the standard library that the mirrors' methods use, once.
var standard = sync.OnceValue(func() types.Importer { return importer.ForCompiler(token.NewFileSet(), "source", nil) })

func checkMirrorsFor(arch string, files []File) error {
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasPrefix(f.Path, "abi/") {
			continue
		}
		file, err := parser.ParseFile(set, path.Base(f.Path), f.Text, 0)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	// The extensions to the header are written by hand; the mirrors do not depend on them.
	extensions, err := parser.ParseFile(set, "extensions.go", "package abi\n\ntype Extensions struct{}\n", 0)
	if err != nil {
		return err
	}
	var problems []error
	config := types.Config{
		Importer: standard(),
		Sizes:    types.SizesFor("gc", arch),
		Error:    func(err error) { problems = append(problems, err) },
	}
	_, _ = config.Check("abi", set, append(parsed, extensions), nil)
	return errors.Join(problems...)
}
