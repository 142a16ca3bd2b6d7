package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// folder is internal/kernel, seen from this module.
const folder = "../../internal/kernel"

// sources are the files to write, without their endings, and who writes them.
var sources = []struct {
	name  string
	write func(*build.Context)
}{
	{"panel", writePanels},
	{"pair", writePanels512},
	{"rows", writeRows},
	{"sums", writeSums},
	{"exponential", writeExponentials},
	{"wide", writeWide},
	{"transpose", writeTranspose},
	{"int8", writeInt8},
}

func main() {
	check := flag.Bool("check", false, "write nothing, and fail if a file differs")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "kernelgen:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	for _, source := range sources {
		if err := generate(source.name, source.write, check); err != nil {
			return err
		}
	}
	assembly, stubs := writeNeon()
	if err := put(filepath.Join(folder, "neon_arm64.s"), []byte(assembly), check); err != nil {
		return err
	}
	return put(filepath.Join(folder, "neon_arm64.go"), []byte(stubs), check)
}

func generate(name string, write func(*build.Context), check bool) error {
	context := build.NewContext()
	write(context)
	file, err := context.Result()
	if err != nil {
		return fmt.Errorf("build %s: %w", name, err)
	}
	if err := pass.Compile.Execute(file); err != nil {
		return fmt.Errorf("compile %s: %w", name, err)
	}
	config := printer.Config{Name: "ci/kernelgen", Pkg: "kernel"}
	for ending, out := range map[string]printer.Printer{
		"_amd64.s":  printer.NewGoAsm(config),
		"_amd64.go": printer.NewStubs(config),
	} {
		text, err := out.Print(file)
		if err != nil {
			return fmt.Errorf("print %s: %w", name, err)
		}
		if err := put(filepath.Join(folder, name+ending), text, check); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file, or compares the two.
func put(path string, text []byte, check bool) error {
	if !check {
		return os.WriteFile(path, text, 0o644)
	}
	there, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(there, text) {
		return fmt.Errorf("%s is not what the generator writes: run go run -C ci/kernelgen . and commit the result", path)
	}
	return nil
}

// begin starts a routine. Its arguments are borrowed for the call alone.
func begin(c *build.Context, name, signature, doc string) {
	c.Function(name)
	c.Doc(doc)
	c.Attributes(attr.NOSPLIT)
	c.Pragma("noescape")
	c.SignatureExpr(signature)
}

// end leaves a routine with the upper halves of the registers clean.
func end(c *build.Context) {
	c.VZEROUPPER()
	c.RET()
}
