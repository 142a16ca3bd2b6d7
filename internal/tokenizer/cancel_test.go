package tokenizer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

// looks is a context that is done once it was looked at so many times, and notes the longest time
// between two looks: how long after it is done Load may go on.
type looks struct {
	context.Context
	until, count int
	last         time.Time
	longest      time.Duration
}

func (l *looks) Err() error {
	now := time.Now()
	if l.count++; l.count > 1 {
		l.longest = max(l.longest, now.Sub(l.last))
	}
	l.last = now
	if l.count >= l.until {
		return context.Canceled
	}
	return nil
}

// ended is the time since the context was looked at last.
func (l *looks) ended() time.Duration { return time.Since(l.last) }

// largeFolders are folders of tokenizers of 16 MiB, a quarter of the limit.
func largeFolders() map[string]fstest.MapFS {
	const pieces = 1 << 19
	padding := bytes.Repeat([]byte("a"), 8)
	write := func(head, tail string, entry func(b *bytes.Buffer, i int)) []byte {
		var b bytes.Buffer
		b.WriteString(head)
		for i := range pieces {
			if b.Len() > 16<<20 {
				break
			}
			entry(&b, i)
		}
		b.WriteString(tail)
		return b.Bytes()
	}
	wordPiece := write(`{"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {`,
		`"[UNK]": 2000000}}}`, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, `"%s%07d": %d, `, padding, i, i) })
	bpe := write(`{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [`, `"a b"]}}`,
		func(b *bytes.Buffer, i int) { b.WriteString(`["a", "b"],                  `) })
	unigram := write(`{"model": {"type": "Unigram", "unk_id": 0, "vocab": [`, `["b", -1]]}}`,
		func(b *bytes.Buffer, i int) { fmt.Fprintf(b, `["%s%07d", -%d.5], `, padding, i, i) })
	pieceModel := write(string(smallModel(1)), "",
		func(b *bytes.Buffer, i int) { b.Write(message(nil).piece(fmt.Sprintf("%s%07d", padding, i), -1, 1)) })
	vocabulary := write("[UNK]\n[CLS]\n[SEP]\n", "", func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "%s%08d\n", padding, i) })
	spaces := write(`{"model": `, `3}`, func(b *bytes.Buffer, i int) { b.WriteString("                                ") })
	lists := write(`{"other": [`, `[]]}`, func(b *bytes.Buffer, i int) { b.WriteString("[[1, 2], 3, 4, 5, 6, 7, 8, 9], ") })
	file := func(name string, data []byte) fstest.MapFS { return fstest.MapFS{name: {Data: data}} }
	return map[string]fstest.MapFS{
		"WordPiece": file("tokenizer.json", wordPiece), "BPE": file("tokenizer.json", bpe), "Unigram": file("tokenizer.json", unigram),
		"spaces": file("tokenizer.json", spaces), "lists": file("tokenizer.json", lists), "vocab.txt": file("vocab.txt", vocabulary),
		"SentencePiece": pieceFolder("XLMRobertaTokenizer", "sentencepiece.bpe.model", pieceModel),
	}
}

// A context that is done half-way ends the reading of the largest files at the next look at it.
func TestLoadIsCancelled(t *testing.T) {
	for name, files := range largeFolders() {
		t.Run(name, func(t *testing.T) {
			whole := &looks{Context: t.Context(), until: 1 << 30}
			begin := time.Now()
			_, err := tokenizer.Load(whole, files, ".")
			t.Logf("%d looks in %v, the longest time between two is %v: %v", whole.count, time.Since(begin), whole.longest, err)
			require.NotErrorIs(t, err, context.Canceled)
			require.Greater(t, whole.count, 5)
			half := &looks{Context: t.Context(), until: whole.count / 2}
			_, err = tokenizer.Load(half, files, ".")
			t.Logf("ended %v after look %d", half.ended(), half.count)
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, whole.count/2, half.count, "it goes on after the context is done")
		})
	}
}

// endless is a file system of one file that does not end, and counts what is read and not closed.
type endless struct {
	name      string
	read      int
	open      int
	cancelled func(read int)
}

func (e *endless) Open(name string) (fs.File, error) {
	if name != e.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	e.open++
	return &endlessFile{e}, nil
}

type endlessFile struct{ of *endless }

func (f *endlessFile) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

func (f *endlessFile) Close() error {
	f.of.open--
	return nil
}

func (f *endlessFile) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = ' '
	}
	f.of.read += len(into)
	f.of.cancelled(f.of.read)
	return len(into), nil
}

// A file past the limit is refused before all of it is read, and one that is being read is let go
// when the context is done.
func TestFilesThatDoNotEnd(t *testing.T) {
	for _, name := range []string{"tokenizer.json", "vocab.txt"} {
		files := &endless{name: name, cancelled: func(int) {}}
		_, err := tokenizer.Load(t.Context(), files, ".")
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorContains(t, err, name+" has over 67108864 bytes")
		require.Less(t, files.read, 129<<20)
		require.Zero(t, files.open)

		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		files = &endless{name: name, cancelled: func(read int) {
			if read > 8<<20 {
				cancel()
			}
		}}
		_, err = tokenizer.Load(ctx, files, ".")
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, files.read, 32<<20)
		require.Zero(t, files.open)
	}
}
