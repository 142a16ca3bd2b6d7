package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// tree is a copy of the repository, with its header in memory.
type tree struct {
	folder, goCache string
	// header is the text of uform.h; parts are the files that it includes after a split.
	header string
	parts  map[string]string
	// names are lines for names.tsv; words map renamed C words in C sources.
	names []string
	words map[string]string
	// registered are lines for the C library's own table of its layout.
	registered []string
	// goText is the handwritten Go sources, which may contain C names.
	goText string
	// done are the declarations that were changed already: one change for each.
	done  map[string]bool
	hands []string
}

// A change is one change of the header.
type change struct {
	what   string
	header string
	// ways is the number of changes that it counts as, if not one.
	ways int
	// taken is the declaration that was changed.
	taken []string
	// hands are the edits that it needs outside of the header.
	hands []string
}

func (t *tree) apply(c change) {
	t.header = c.header
	for _, thing := range c.taken {
		t.done[thing] = true
	}
	t.hands = append(t.hands, c.hands...)
}

// newTree copies the files that git tracks or would track.
func newTree(folder string) (*tree, error) {
	t := &tree{folder: folder, parts: map[string]string{}, words: map[string]string{}, done: map[string]bool{}}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOCACHE: %w", err)
	}
	t.goCache = strings.TrimSpace(string(cache))
	listed, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("list the repository's files, at its root: %w", err)
	}
	var goText strings.Builder
	for path := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) { // removed and not yet committed
			continue
		}
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_generated.go") && !strings.HasPrefix(path, "ci/drill/") {
			goText.Write(text)
		}
		if err := t.put(path, string(text)); err != nil {
			return nil, err
		}
	}
	t.goText = goText.String()
	header, err := os.ReadFile(filepath.Join("abi", "uform.h"))
	t.header = string(header)
	return t, err
}

func (t *tree) put(path, text string) error {
	path = filepath.Join(t.folder, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// edit replaces the text of a file. It fails if nothing changes.
func (t *tree) edit(path string, replace func(string) string) error {
	text, err := os.ReadFile(filepath.Join(t.folder, path))
	if err != nil {
		return err
	}
	after := replace(string(text))
	if after == string(text) {
		return fmt.Errorf("%s: the drill's edit changes nothing", path)
	}
	return t.put(path, after)
}

// write writes the header into the copy, and makes the manual edits of the changes.
func (t *tree) write() error {
	if err := t.put("abi/uform.h", t.header); err != nil {
		return err
	}
	for name, text := range t.parts {
		if err := t.put("abi/"+name, text); err != nil {
			return err
		}
	}
	if len(t.names) > 0 {
		if err := t.put("abi/names.tsv", strings.Join(t.names, "")); err != nil {
			return err
		}
	}
	if len(t.registered) > 0 {
		const table = "static entry_t const entries[] = {\n"
		if err := t.edit("testdata/libuform/library.c", func(text string) string {
			return strings.Replace(text, table, table+strings.Join(t.registered, ""), 1)
		}); err != nil {
			return err
		}
	}
	if err := t.count(); err != nil {
		return err
	}
	return t.rename()
}

// count raises the generator's expected number of declarations, if there are more than before.
func (t *tree) count() error {
	for name, pattern := range map[string]*regexp.Regexp{
		"wantFunctions": regexp.MustCompile(`(?m)^UFORM_API\s`), "wantStructs": regexp.MustCompile(`(?m)^typedef struct \w+ \{`),
	} {
		found := len(pattern.FindAllString(t.header, -1))
		for _, part := range t.parts {
			found += len(pattern.FindAllString(part, -1))
		}
		constant := regexp.MustCompile(name + ` += (\d+)`)
		path := "ci/abigen/main.go"
		text, err := os.ReadFile(filepath.Join(t.folder, path))
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%-13s = %d", name, found)
		if constant.FindString(string(text)) == line {
			continue
		}
		if err := t.edit(path, func(text string) string { return constant.ReplaceAllString(text, line) }); err != nil {
			return err
		}
		t.hands = append(t.hands, path+": "+line)
	}
	return nil
}

// rename updates the sources of the C library to the new names, outside of strings.
func (t *tree) rename() error {
	if len(t.words) == 0 {
		return nil
	}
	return filepath.WalkDir(filepath.Join(t.folder, "testdata", "libuform"), func(path string, entry os.DirEntry, err error) error {
		if extension := filepath.Ext(path); err != nil || entry.IsDir() || extension != ".c" && extension != ".h" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after := renamed(string(text), t.words)
		if after == string(text) {
			return nil
		}
		return os.WriteFile(path, []byte(after), 0o644)
	})
}

// cWord matches a string, a character, or a word. Apostrophes in comments are none of these.
var cWord = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\[^'\n]+|[^'\\\n])'|\w+`)

func renamed(text string, words map[string]string) string {
	return cWord.ReplaceAllStringFunc(text, func(word string) string {
		if after, ok := words[word]; ok {
			return after
		}
		return word
	})
}
