package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// Text is one line of a file, without its end.
type Text struct {
	Content string
	Name    string // of the file
	Number  int    // of the line, from 1
}

// Place returns the file and the line, as "name:1".
func (t Text) Place() string { return fmt.Sprintf("%s:%d", t.Name, t.Number) }

// LongestText is the longest line that [Texts] reads, in bytes.
const LongestText = 1 << 20

// Texts calls each with every line of the file that is not blank, and stops at the first error.
// Lines that are too long or not UTF-8 are errors that name their place.
func Texts(ctx context.Context, name string, file io.Reader, each func(Text) error) error {
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, LongestText)
	text := Text{Name: name}
	for scanner.Scan() {
		text.Number++
		text.Content = scanner.Text()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case strings.TrimSpace(text.Content) == "":
			continue
		case !utf8.ValidString(text.Content):
			return fmt.Errorf("%s: the line is not UTF-8: convert it", text.Place())
		}
		if err := each(text); err != nil {
			return err
		}
	}
	switch err := scanner.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		text.Number++
		return fmt.Errorf("%s: the line is longer than %d bytes: break it", text.Place(), LongestText)
	default:
		return At(name, err)
	}
}

// At returns err with the place where it happened before it. An error of a file already has the
// path: it is left out, so that it is not there twice.
func At(place string, err error) error {
	if failure := (*fs.PathError)(nil); errors.As(err, &failure) {
		err = failure.Err
	}
	return fmt.Errorf("%s: %w", place, err)
}
