package rows

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/platform"
)

// Output is a file of rows in the making. Rows go to the file PATH.partial, and the file
// PATH.resume says how much of it holds: after an interrupt, or a crash, [Create] with the same
// identity continues there. [Output.Finish] makes PATH of the two and removes them.
type Output struct {
	path     string
	layout   Layout
	file     *os.File
	buffered *bufio.Writer
	state    State
	saved    time.Time
	buffer   []byte
}

// State is how far an output came.
type State struct {
	// Identity tells what made it from other commands.
	Identity string `json:"identity"`
	// Position is where the reading continues, Bytes the length of the partial file there.
	Position items.Position `json:"position"`
	Bytes    int64          `json:"bytes"`
	// Rows and Bad count the items that were written and left out.
	Rows int64 `json:"rows"`
	Bad  int64 `json:"bad"`
}

// saveEvery is how much time is lost when the power fails.
const saveEvery = 5 * time.Second

// Create begins an output at path, or continues the one that was interrupted there. identity tells
// what makes it: an output of another is an error unless restart is set, which forgets it.
func Create(path string, layout Layout, identity string, restart bool) (*Output, error) {
	if err := platform.Replaceable(path); err != nil {
		return nil, err
	}
	o := &Output{path: path, layout: layout, state: State{Identity: identity}, saved: time.Now()}
	if restart {
		if err := o.forget(); err != nil {
			return nil, err
		}
	}
	begun, err := o.load()
	if err != nil {
		return nil, err
	}
	if o.file, err = os.OpenFile(o.partial(), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := o.begin(begun); err != nil {
		o.file.Close()
		return nil, err
	}
	return o, nil
}

func (o *Output) partial() string { return o.path + ".partial" }
func (o *Output) resume() string  { return o.path + ".resume" }

// load reads the state of an interrupted run, and reports whether there is one.
func (o *Output) load() (bool, error) {
	if _, err := os.Stat(o.partial()); errors.Is(err, fs.ErrNotExist) {
		return false, nil // a run that ended as it finished
	}
	text, err := os.ReadFile(o.resume())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var saved State
	if err := json.Unmarshal(text, &saved); err != nil || saved.Bytes < 0 || saved.Rows < 0 {
		return false, fmt.Errorf("%s is not the state of an interrupted run: begin again by --restart", o.resume())
	}
	if saved.Identity != o.state.Identity {
		return false, fmt.Errorf("%s is of a run with other inputs, another model or another format: "+
			"repeat that command to complete it, or begin again by --restart", o.resume())
	}
	o.state = saved
	return true, nil
}

// begin cuts the partial file to what holds of it.
func (o *Output) begin(begun bool) error {
	if !begun {
		if o.layout.Format == NPY {
			o.state.Bytes = arrayHeader
		}
	} else if about, err := o.file.Stat(); err != nil || about.Size() < o.state.Bytes {
		return errors.Join(err, fmt.Errorf("%s has less than the %d bytes that were written: begin again by --restart", o.partial(), o.state.Bytes))
	}
	if err := o.file.Truncate(o.state.Bytes); err != nil {
		return err
	}
	if _, err := o.file.Seek(o.state.Bytes, io.SeekStart); err != nil {
		return err
	}
	o.buffered = bufio.NewWriterSize(o.file, 256<<10)
	return nil
}

// State is how far the output came, what is not saved included.
func (o *Output) State() State { return o.state }

// Write writes the rows of a batch, and notes that the reading continues at a position. bad are the
// items that were left out.
func (o *Output) Write(rows []Row, after items.Position, bad int) (err error) {
	if o.buffer, err = o.layout.append(o.buffer[:0], rows); err != nil {
		return err
	}
	if _, err := o.buffered.Write(o.buffer); err != nil {
		return err
	}
	o.state.Bytes += int64(len(o.buffer))
	o.state.Rows += int64(len(rows))
	o.state.Bad += int64(bad)
	o.state.Position = after
	if time.Since(o.saved) < saveEvery {
		return nil
	}
	return o.Save()
}

// Save makes sure that a later run continues here.
func (o *Output) Save() error {
	if err := o.buffered.Flush(); err != nil {
		return err
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	o.saved = time.Now()
	return platform.ReplaceFile(o.resume(), func(to io.Writer) error { return json.NewEncoder(to).Encode(o.state) })
}

// Close saves, and closes the partial file; where no item is done, it removes it. After Finish it
// does nothing.
func (o *Output) Close() (err error) {
	if o.file == nil {
		return nil
	}
	kept := o.state.Rows+o.state.Bad > 0
	if kept {
		err = o.Save()
	}
	err = errors.Join(err, o.file.Close())
	o.file = nil
	if !kept {
		err = errors.Join(err, o.forget())
	}
	return err
}

// Finish makes the file at the output's path, and removes what was for continuing it.
func (o *Output) Finish() error {
	if err := o.Save(); err != nil {
		return err
	}
	if o.layout.Format == Parquet {
		if _, err := o.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		err := platform.ReplaceFile(o.path, func(to io.Writer) error {
			buffered := bufio.NewWriterSize(to, 1<<20)
			if err := writeParquet(buffered, o.file, o.layout); err != nil {
				return err
			}
			return buffered.Flush()
		})
		if err != nil {
			return err
		}
		o.file.Close() // Windows removes no open file
		return o.leave(os.Remove(o.partial()))
	}
	if o.layout.Format == NPY {
		if _, err := o.file.WriteAt(headerOfArray(o.state.Rows, o.layout.Columns), 0); err != nil {
			return err
		}
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	if err := o.file.Close(); err != nil { // Windows renames no open file
		return err
	}
	return o.leave(os.Rename(o.partial(), o.path))
}

// leave ends a finished output.
func (o *Output) leave(err error) error {
	o.file = nil
	if err != nil {
		return err
	}
	return os.Remove(o.resume())
}

// forget removes what an interrupted run left.
func (o *Output) forget() error {
	for _, path := range []string{o.resume(), o.partial()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Stream writes rows to a pipe or a terminal, in a format of lines.
func Stream(to io.Writer, layout Layout) (func([]Row) error, error) {
	if layout.Format != JSON && layout.Format != TSV {
		return nil, fmt.Errorf("the format %s needs a file: name one by --output", layout.Format)
	}
	var buffer []byte
	return func(rows []Row) (err error) {
		if buffer, err = layout.append(buffer[:0], rows); err == nil {
			_, err = to.Write(buffer)
		}
		return err
	}, nil
}
