package corpus

import (
	"path/filepath"
	"strings"
)

// Description is a package's description: a line and its first sentence.
type Description struct{ Short, Long string }

// ReadDescriptions reads the package descriptions of one language, by the key that a description
// has in all languages.
func ReadDescriptions(folder, language string) (map[string]Description, error) {
	matches, err := filepath.Glob(filepath.Join(folder, "*_i18n_Translation-"+language))
	if err != nil {
		return nil, err
	}
	all := map[string]Description{}
	for _, path := range matches {
		lines, err := Lines(path)
		if err != nil {
			return nil, err
		}
		var name string
		var description Description
		var long []string
		flush := func() {
			if name != "" && description.Short != "" {
				description.Long = sentence(strings.Join(long, " "))
				all[name] = description
			}
			name, description, long = "", Description{}, nil
		}
		for _, line := range lines {
			switch {
			case line == "":
				flush()
			case strings.HasPrefix(line, "Description-md5: "):
				name = line[len("Description-md5: "):]
			case strings.HasPrefix(line, "Description-"):
				_, description.Short, _ = strings.Cut(line, ": ")
			case strings.HasPrefix(line, "  "), strings.HasPrefix(line, " ."):
				// a list, or the end of a paragraph
				if len(long) > 0 {
					long = append(long, ".\n")
				}
			case strings.HasPrefix(line, " "):
				long = append(long, strings.TrimSpace(line))
			}
		}
		flush()
	}
	return all, nil
}

// sentence returns the first sentence of a paragraph, if it has a usual length.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, " .\n")
	if first, _, found := strings.Cut(text, ". "); found {
		text = first + "."
	}
	if len(text) < 20 || len(text) > 200 {
		return ""
	}
	return text
}
