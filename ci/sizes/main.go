// Command sizes builds programs, stripped and for linux/amd64, and compares their sizes with the
// table in docs/command.md:
//
//	go run ./ci/sizes          # fails where a size is more than 3 % off, or a limit is passed
//	go run ./ci/sizes -write   # writes the table anew
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	page       = "docs/command.md"
	begin, end = "<!-- sizes -->\n", "<!-- end of sizes -->\n"
	tolerance  = 0.03
)

// program is a row of the table.
type program struct {
	folder, what, tags string
	// most is the limit in MB, 0 for none.
	most float64
}

var programs = []program{
	{"ci/sizes/load", "loads a checkpoint and embeds texts", "", 0},
	{"ci/sizes/load", "the same", "uform_text", 6},
	{"ci/sizes/load", "the same", "uform_text,uform_static", 6},
	{"ci/sizes/words", "has the model `words`, of 4.0 MB, in it", "", 0},
	{"ci/sizes/words", "the same", "uform_text", 10},
	{"cmd/uform", "the command", "", 0},
	{"cmd/uform", "the command", "uform_static", 0},
}

func main() {
	log.SetFlags(0)
	write := flag.Bool("write", false, "write the table into "+page)
	flag.Parse()
	if err := run(*write); err != nil {
		log.Fatal("sizes: ", err)
	}
}

func run(write bool) error {
	content, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(content), begin)
	table, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table, between %q and %q", page, begin, end)
	}
	folder, err := os.MkdirTemp("", "sizes-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	measured := "| program | tags | MB |\n|---|---|--:|\n"
	var wrong []string
	for _, p := range programs {
		size, err := p.size(filepath.Join(folder, "program"))
		if err != nil {
			return err
		}
		if p.most > 0 && size > p.most {
			return fmt.Errorf("%s with the tags %q has %.1f MB, and may have %.0f", p.folder, p.tags, size, p.most)
		}
		row := p.row()
		measured += fmt.Sprintf("%s %.1f |\n", row, size)
		if stated, err := statedIn(table, row); err != nil || math.Abs(stated-size) > tolerance*size+0.05 {
			wrong = append(wrong, fmt.Sprintf("%s %.1f |", row, size))
		}
	}
	if write {
		return os.WriteFile(page, []byte(head+begin+measured+end+tail), 0o644)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s is out of date (go run ./ci/sizes -write):\n%s", page, strings.Join(wrong, "\n"))
	}
	fmt.Print(measured)
	return nil
}

// row is the beginning of the program's row.
func (p *program) row() string {
	tags := "none"
	if p.tags != "" {
		tags = "`" + p.tags + "`"
	}
	return fmt.Sprintf("| `%s`: %s | %s |", p.folder, p.what, tags)
}

// statedIn returns the size that a table has in a row.
func statedIn(table, row string) (size float64, err error) {
	_, rest, _ := strings.Cut(table, row)
	_, err = fmt.Sscanf(rest, "%f", &size)
	return size, err
}

// size builds the program, and returns its size in MB.
func (p *program) size(output string) (float64, error) {
	command := exec.Command("go", "build", "-C", p.folder, "-trimpath", "-ldflags=-s -w", "-tags", p.tags, "-o", output, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOWORK=off")
	if printed, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", p.folder, err, bytes.TrimSpace(printed))
	}
	about, err := os.Stat(output)
	if err != nil {
		return 0, err
	}
	return float64(about.Size()) / 1e6, nil
}
