package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
)

// The number of declarations in the header. It is checked, since a parser could lose some silently.
// A header with more or fewer declarations needs other numbers here.
const (
	wantFunctions = 33
	wantStructs   = 28
	wantEnums     = 8
)

func main() {
	root := flag.String("root", "../..", "root of the repository")
	check := flag.Bool("check", false, "only report files that differ")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "abigen:", err)
		os.Exit(1)
	}
}

// run generates everything from the header under root, and writes it there or, for a check,
// compares it.
func run(root string, check bool) error {
	headers, err := readHeaders(filepath.Join(root, "abi"))
	if err != nil {
		return err
	}
	files, err := generate(headers)
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(root, f.Path)
		if check {
			old, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !bytes.Equal(old, f.Text) {
				return fmt.Errorf("%s: differs from what %s generates; run go generate ./abi", f.Path, headerName)
			}
			continue
		}
		if err := os.WriteFile(path, f.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readHeaders reads the header, all of its files and the table of names from a folder.
func readHeaders(folder string) (Headers, error) {
	headers := Headers{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".h" && path != namesName {
			return err
		}
		headers[path], err = os.ReadFile(filepath.Join(folder, path))
		return err
	})
	if err == nil && headers[headerName] == nil {
		err = fmt.Errorf("%s: %w", filepath.Join(folder, headerName), fs.ErrNotExist)
	}
	return headers, err
}

// File is one generated file, its path relative to the root of the repository.
type File struct {
	Path string
	Text []byte
}

// generate turns the texts of a header into every file made from it, and proves that the mirrors
// keep its layout.
func generate(headers Headers) ([]File, error) {
	h, table, err := parseAll(headers)
	if err != nil {
		return nil, err
	}
	if err := h.checkCounts(); err != nil {
		return nil, err
	}
	files, err := render(h, table)
	if err != nil {
		return nil, err
	}
	return files, checkMirrors(files)
}

// render writes the files for declarations and the table of their layout.
func render(h *Header, table []Row) ([]File, error) {
	sentinels, err := writeErrors(h)
	if err != nil {
		return nil, err
	}
	files := []File{
		{"abi/enums_generated.go", []byte(writeEnums(h))},
		{"abi/mirrors_generated.go", []byte(writeMirrors(h))},
		{"abi/table_generated.go", []byte(writeTable(h))},
		{"abi/layout_generated.go", []byte(writeLayout(table))},
		{"abi/proof_generated.go", []byte(writeProof(table))},
		{"errors/status_generated.go", []byte(sentinels)},
		{"loader/register_generated.go", []byte(writeRegister(h))},
		{"loader/direct_generated.go", []byte(writeDirect(h))},
	}
	for i, f := range files {
		if files[i].Text, err = format.Source(f.Text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return files, nil
}

// checkCounts refuses a header with another number of declarations, naming the last one.
func (h *Header) checkCounts() error {
	last := func(names []string) string {
		if len(names) == 0 {
			return "there is none"
		}
		return "the last is " + names[len(names)-1]
	}
	var functions, structs, enums []string
	for _, f := range h.Functions {
		functions = append(functions, f.C)
	}
	for _, s := range h.Structs {
		structs = append(structs, s.C)
	}
	for _, e := range h.Enums {
		enums = append(enums, e.C)
	}
	for _, count := range []struct {
		what, constant string
		want           int
		got            []string
	}{
		{"functions", "wantFunctions", wantFunctions, functions},
		{"structs", "wantStructs", wantStructs, structs},
		{"enums", "wantEnums", wantEnums, enums},
	} {
		if len(count.got) != count.want {
			return fmt.Errorf("%s: %d %s, expected %d; %s. If that is meant, change %s in main.go", headerName, len(count.got),
				count.what, count.want, last(count.got), count.constant)
		}
	}
	return nil
}
