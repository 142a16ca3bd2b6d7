package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// complaint is one error of the compiler.
var complaint = regexp.MustCompile(`(?m)^(?:vet: )?([\w./-]+\.go):(\d+):(\d+): (.*)$`)

// The compiler's messages for a changed width.
var (
	wrongType  = regexp.MustCompile(`^cannot use .* as (u?int\d+|uintptr|\*?abi\.\w+) value in `)
	mismatched = regexp.MustCompile(`^invalid operation: .*\(mismatched types (u?int\d+) and (u?int\d+)\)$`)
)

// convert builds everything that the contract is made of, and puts the conversions in that the
// compiler asks for, in the engine alone.
func (t *tree) convert() error {
	for range 20 {
		said, err := t.run("go", "test", "-gcflags=-e", "-run", "^$", "./internal/contract")
		if err == nil {
			return nil
		}
		progress := false
		edited := map[string]bool{}
		for _, found := range complaint.FindAllStringSubmatch(said, -1) {
			path := filepath.ToSlash(filepath.Clean(found[1]))
			if edited[path] { // positions in it have moved
				continue
			}
			line, _ := strconv.Atoi(found[2])
			column, _ := strconv.Atoi(found[3])
			if !strings.HasPrefix(path, "engine/") || strings.HasSuffix(path, "_test.go") {
				return fmt.Errorf("it needs a hand outside of the engine: %s", found[0])
			}
			before, after, err := t.wrap(path, line, column, found[4])
			if err != nil {
				return fmt.Errorf("%s: no conversion mends it: %w", found[0], err)
			}
			t.hands = append(t.hands, fmt.Sprintf("%s: %s becomes %s", path, before, after))
			edited[path], progress = true, true
		}
		if !progress {
			return fmt.Errorf("build: %w\n%s", err, said)
		}
	}
	return fmt.Errorf("build: conversions do not end")
}

// wrap converts the expression in the compiler's error.
func (t *tree) wrap(path string, line, column int, said string) (before, after string, err error) {
	full := filepath.Join(t.folder, path)
	text, err := os.ReadFile(full)
	if err != nil {
		return "", "", err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		return "", "", err
	}
	var target string
	var found ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || set.Position(e.Pos()).Line != line || set.Position(e.Pos()).Column != column || found != nil {
			return true
		}
		if kind := wrongType.FindStringSubmatch(said); kind != nil {
			if strings.HasPrefix(said, "cannot use "+types.ExprString(e)+" (") {
				found, target = e, kind[1]
			}
		} else if kinds := mismatched.FindStringSubmatch(said); kinds != nil {
			if b, ok := e.(*ast.BinaryExpr); ok && strings.HasPrefix(said, "invalid operation: "+types.ExprString(b)+" (") {
				found, target = b.Y, kinds[1]
				if bits(kinds[1]) < bits(kinds[2]) {
					found, target = b.X, kinds[2]
				}
			}
		}
		return true
	})
	if found == nil {
		return "", "", fmt.Errorf("the expression is not found")
	}
	start, end := set.Position(found.Pos()).Offset, set.Position(found.End()).Offset
	before = string(text[start:end])
	after = target + "(" + before + ")"
	return before, after, os.WriteFile(full, []byte(string(text[:start])+after+string(text[end:])), 0o644)
}

// bits returns the width in the name of a type.
func bits(name string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(name, "uint"))
	return n
}
