// Command maketables writes the tables of package fold, for Go and for the C library. They stay
// those of Unicode 15.0.0: with a Go of another version of Unicode it fails and leaves the files
// unchanged.
package main

import (
	"fmt"
	"log"
	"os"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const version = "15.0.0"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("Usage: maketables tables_generated.go fold_generated.h")
	}
	if unicode.Version != version || norm.Version != version {
		log.Printf("maketables: the tables are of Unicode %s, and are unchanged: this Go has %s, and package norm %s",
			version, unicode.Version, norm.Version)
		return
	}
	t := collect()
	for path, write := range map[string]func(*tables) []byte{os.Args[1]: inGo, os.Args[2]: inC} {
		if err := os.WriteFile(path, write(t), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%d records, %d blocks, %d compositions\n", len(t.records), len(t.blocks)/blockSize, len(t.pairs))
}
