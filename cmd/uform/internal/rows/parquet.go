package rows

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
)

// The end of a Parquet file lists its groups of rows, so one that is not complete cannot be
// continued. Rows are spooled first, and the file is made of them at the end: it takes as much disk
// as the output for a while, and a group of rows of memory.

// groupBytes is the size of the vectors of a group of rows.
const groupBytes = 16 << 20

// record and textRecord are rows of the file, without and with texts.
type record struct {
	Item      string    `parquet:"item"`
	Embedding []float32 `parquet:"embedding,list"`
}

type textRecord struct {
	Item      string    `parquet:"item"`
	Text      string    `parquet:"text"`
	Embedding []float32 `parquet:"embedding,list"`
}

// appendSpooled appends a row: the lengths and the bytes of its strings, and its floats.
func appendSpooled(to []byte, row *Row) []byte {
	for _, text := range []string{row.Item, row.Text} {
		to = binary.LittleEndian.AppendUint32(to, uint32(len(text)))
		to = append(to, text...)
	}
	return appendFloats(to, row.Vector)
}

// readSpooled reads a row. It returns [io.EOF] after the last.
func readSpooled(from *bufio.Reader, columns int) (row Row, err error) {
	var length [4]byte
	for i, text := range []*string{&row.Item, &row.Text} {
		if _, err := io.ReadFull(from, length[:]); err != nil {
			if i == 0 && errors.Is(err, io.EOF) {
				return row, io.EOF
			}
			return row, fmt.Errorf("the spooled rows end early: %w", io.ErrUnexpectedEOF)
		}
		bytes := make([]byte, binary.LittleEndian.Uint32(length[:]))
		if _, err := io.ReadFull(from, bytes); err != nil {
			return row, fmt.Errorf("the spooled rows end early: %w", io.ErrUnexpectedEOF)
		}
		*text = string(bytes)
	}
	bytes := make([]byte, 4*columns)
	if _, err := io.ReadFull(from, bytes); err != nil {
		return row, fmt.Errorf("the spooled rows end early: %w", io.ErrUnexpectedEOF)
	}
	row.Vector = make([]float32, columns)
	for i := range row.Vector {
		row.Vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return row, nil
}

// writeParquet writes the file of spooled rows.
func writeParquet(to io.Writer, spool io.Reader, layout Layout) error {
	if layout.Texts {
		return convert(to, spool, layout, func(row Row) textRecord { return textRecord{row.Item, row.Text, row.Vector} })
	}
	return convert(to, spool, layout, func(row Row) record { return record{row.Item, row.Vector} })
}

func convert[Record any](to io.Writer, spool io.Reader, layout Layout, of func(Row) Record) error {
	group := max(groupBytes/(4*layout.Columns), 1)
	writer := parquet.NewGenericWriter[Record](to, parquet.CreatedBy("uform", "", ""), parquet.MaxRowsPerRowGroup(int64(group)))
	from := bufio.NewReaderSize(spool, 1<<20)
	for {
		row, err := readSpooled(from, layout.Columns)
		if errors.Is(err, io.EOF) {
			return writer.Close()
		}
		if err != nil {
			return err
		}
		if _, err := writer.Write([]Record{of(row)}); err != nil {
			return err
		}
	}
}
