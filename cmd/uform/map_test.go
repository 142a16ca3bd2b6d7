package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMap(t *testing.T) {
	folder := t.TempDir()
	texts := []string{"the cat sleeps", "a cat plays", "cats and kittens", "my cat eats", "share prices fell", "the prices of shares", "prices rise again", "market prices", "</script><b>&\x01 prices", "the last cat", ""}
	write(t, folder, "in.txt", strings.Join(texts, "\n"))
	_, said := done(t, folder, "", "map", "in.txt", "-o", "out.svg", "-o", "out.html", "--groups", "2")
	require.Equal(t, "uform: wrote out.svg: 10 items in 2 groups\nuform: wrote out.html: 10 items in 2 groups\n", said)
	picture := read(t, folder, "out.svg")
	circles, titles := elements(t, picture)
	require.Equal(t, 10, circles)
	require.Equal(t, 10, titles)
	require.Contains(t, picture, "prefers-color-scheme: dark")
	require.Regexp(t, `(?s)<g class="labels">.*>[^<]*\bcat\b.*</g>`, picture)
	require.Regexp(t, `(?s)<g class="labels">.*>[^<]*\bprices\b.*</g>`, picture)
	page := read(t, folder, "out.html")
	require.Equal(t, 1, strings.Count(page, "</script>"), "no text ends the script")
	require.NotContains(t, page, "src=")
	require.NotContains(t, page, "://")
	// The same picture in every run.
	done(t, folder, "", "map", "in.txt", "-o", "again.svg", "--groups", "2")
	require.Equal(t, picture, read(t, folder, "again.svg"))
	_, said = done(t, folder, "", "map", "in.txt", "-o", "few.svg", "--most", "4", "--axes", "pca", "--title", "a <title>")
	require.Contains(t, said, "drawing 4 of 10 items, at random")
	circles, _ = elements(t, read(t, folder, "few.svg"))
	require.Equal(t, 4, circles)
	require.Contains(t, read(t, folder, "few.svg"), "a &lt;title&gt;")
}

// elements parses the XML of a picture, and counts its circles and the titles in them.
func elements(t *testing.T, picture string) (circles, titles int) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return circles, titles
		}
		require.NoError(t, err)
		if element, ok := token.(xml.StartElement); ok {
			switch element.Name.Local {
			case "circle":
				circles++
			case "title":
				titles++
			}
		}
	}
}

func TestMapRefuses(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "one.txt", "one\n\n")
	for _, row := range []struct {
		says   string
		status int
		args   []string
	}{
		{"output", misused, []string{"one.txt"}},
		{".svg or .html", misused, []string{"one.txt", "-o", "out.png"}},
		{"--axes", misused, []string{"one.txt", "-o", "out.svg", "--axes", "umap"}},
		{"--groups", misused, []string{"one.txt", "-o", "out.svg", "--groups", "13"}},
		{"--most", misused, []string{"one.txt", "-o", "out.svg", "--most", "1"}},
		{"at least two", failed, []string{"one.txt", "-o", "out.svg"}},
	} {
		status, _, said := ended(t, folder, "", append([]string{"map"}, row.args...)...)
		require.Equal(t, row.status, status, row.args)
		require.Contains(t, said, row.says, row.args)
	}
	require.NoFileExists(t, folder+"/out.svg")
}
