package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The file names of the charts, beside the page that shows them.
const picture, folderPicture = "encoders.svg", "folders.svg"

// write replaces the report between the two lines of a page that name it.
func write(page, name, report string) error {
	opening, closing := "<!-- bench:"+name+" -->\n", "<!-- /bench:"+name+" -->"
	told, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, opened := strings.Cut(string(told), opening)
	_, after, closed := strings.Cut(rest, closing)
	if !opened || !closed {
		return fmt.Errorf("%s has no lines %s and %s", page, strings.TrimSpace(opening), closing)
	}
	return os.WriteFile(page, []byte(before+opening+report+closing+after), 0o644)
}

// writeChart writes a chart beside the page.
func writeChart(page, name, chart string) error {
	return os.WriteFile(filepath.Join(filepath.Dir(page), name), []byte(chart), 0o644)
}

// writeEncoders writes a table of speeds relative to ONNX Runtime.
func writeEncoders(out io.Writer, rows []row) {
	fmt.Fprint(out, "| layers × width | texts × bytes | threads | ONNX Runtime | f32 | bf16 | i8 | of the peak, f32 | least cosine, i8 |\n"+
		"| --- | --- | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, r := range rows {
		fmt.Fprintf(out, "| %v | %v | %d | %.1f ms", r.shape, r.load, r.threads, 1e3*r.spent[0])
		for _, spent := range r.spent[1:] {
			fmt.Fprintf(out, " | %.2f×", r.spent[0]/spent)
		}
		fmt.Fprintf(out, " | %.0f %% | %.4f |\n", 100*r.fraction[1], r.cosine[2])
	}
}

// writeProducts writes a table of fractions of the peak.
func writeProducts(out io.Writer, products []product) {
	fmt.Fprintf(out, "| a product, of the peak of f32 on one thread | %s | f32 on two, of two |\n| --- |%s\n", strings.Join(productNames, " | "), strings.Repeat(" --: |", len(productNames)+1))
	for _, p := range products {
		fmt.Fprintf(out, "| %d × %d × %d", p.rows, p.outputs, p.inputs)
		for _, fraction := range p.fraction {
			fmt.Fprintf(out, " | %.0f %%", 100*fraction)
		}
		fmt.Fprintf(out, " | %.0f %% |\n", 100*p.both)
	}
}

// machine names what a table was measured on, and when.
func machine() string {
	path := "the best path"
	if set := os.Getenv("UFORM_KERNEL"); set != "" {
		path = "path " + set
	}
	if narrow {
		path += ", ONNX Runtime held to AVX2"
	}
	return fmt.Sprintf("%s, %s, %d cores, %s/%s, %s, %s", processor(), path, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().Format(time.DateOnly))
}

// processor returns the system's name of the processor, or its architecture.
func processor() string {
	told, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(told)) {
			if key, name, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(name)
			}
		}
	}
	return runtime.GOARCH
}
