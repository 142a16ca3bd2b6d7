package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"time"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/ci/textmodel/teacher"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// A row of the file of teacher vectors is a half float for each column.
const rowBytes = 2 * teacher.Columns

// teach writes the sentences and the teacher's vector of each to the working folder. The results of
// an earlier run are kept, so that an interrupted run can continue.
func (s *settings) teach(ctx context.Context) error {
	held, err := corpus.ReadScored(s.scoredPath())
	if err != nil {
		return err
	}
	sentences, err := s.folders.Sentences(corpus.NewHeld(held))
	if err != nil {
		return err
	}
	if err := s.keepSentences(sentences); err != nil {
		return err
	}
	file, err := os.OpenFile(s.vectorsPath(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(int64(len(sentences)) * rowBytes); err != nil {
		return err
	}
	missing, err := missingRows(file, len(sentences))
	if err != nil {
		return err
	}
	// Texts of one length are encoded together, the longest first.
	slices.SortStableFunc(missing, func(a, b int) int { return len(sentences[b].Text) - len(sentences[a].Text) })
	log.Printf("teach: %d sentences, of which %d have no vector yet", len(sentences), len(missing))
	model, err := teacher.Open(ctx, s.teacher, threads)
	if err != nil {
		return err
	}
	defer model.Close()
	begin := time.Now()
	const part = 512
	for first := 0; first < len(missing); first += part {
		rows := missing[first:min(first+part, len(missing))]
		if err := teachPart(ctx, file, model, sentences, rows); err != nil {
			return err
		}
		if done := first + len(rows); done%(32*part) == 0 || done == len(missing) {
			log.Printf("teach: %d of %d, %v", done, len(missing), time.Since(begin).Round(time.Second))
		}
	}
	return file.Close()
}

// keepSentences writes the sentences. If those of an earlier run were others, its vectors are
// dropped.
func (s *settings) keepSentences(sentences []corpus.Sentence) error {
	before, err := corpus.ReadSentences(s.sentencesPath())
	if err != nil || !slices.Equal(before, sentences) {
		if err := os.RemoveAll(s.vectorsPath()); err != nil {
			return err
		}
	}
	return corpus.WriteSentences(s.sentencesPath(), sentences)
}

// missingRows returns the rows of zeroes.
func missingRows(file io.Reader, count int) (missing []int, err error) {
	row := make([]byte, rowBytes)
	for i := range count {
		if _, err := io.ReadFull(file, row); err != nil {
			return nil, fmt.Errorf("vectors: %w", err)
		}
		if isZero(row) {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

func isZero(row []byte) bool {
	for _, b := range row {
		if b != 0 {
			return false
		}
	}
	return true
}

func teachPart(ctx context.Context, file io.WriterAt, model *teacher.Model, sentences []corpus.Sentence, rows []int) error {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = sentences[row].Text
	}
	vectors, err := model.Embed(ctx, texts)
	if err != nil {
		return err
	}
	halves := make([]uint16, teacher.Columns)
	bytes := make([]byte, 0, rowBytes)
	for i, vector := range vectors.All() {
		kernel.ToF16(halves, vector)
		bytes = bytes[:0]
		for _, half := range halves {
			bytes = binary.LittleEndian.AppendUint16(bytes, half)
		}
		if _, err := file.WriteAt(bytes, int64(rows[i])*rowBytes); err != nil {
			return err
		}
	}
	return vectors.Err()
}

// lessons are the sentences with a target, and the targets, [sentences, columns]: the teacher's
// vectors along their principal directions.
type lessons struct {
	texts   [][]byte
	kinds   []corpus.Kind
	targets []float32
}

func (s *settings) lessons() (*lessons, error) {
	sentences, err := corpus.ReadSentences(s.sentencesPath())
	if err != nil {
		return nil, err
	}
	file, err := os.ReadFile(s.vectorsPath())
	if err != nil {
		return nil, err
	}
	l := &lessons{}
	var halves []uint16
	for i, sentence := range sentences {
		if (i+1)*rowBytes > len(file) {
			break
		}
		row := file[i*rowBytes : (i+1)*rowBytes]
		if isZero(row) {
			continue
		}
		l.texts = append(l.texts, []byte(sentence.Text))
		l.kinds = append(l.kinds, sentence.Kind)
		for c := 0; c < rowBytes; c += 2 {
			halves = append(halves, binary.LittleEndian.Uint16(row[c:]))
		}
	}
	if len(l.texts) == 0 {
		return nil, fmt.Errorf("%s holds no vectors: run teach first", s.vectorsPath())
	}
	const sample = 12_000
	var sampled []float32
	row := make([]float32, teacher.Columns)
	for i := 0; i < len(l.texts); i += max(1, len(l.texts)/sample) {
		kernel.FromF16(row, halves[i*teacher.Columns:(i+1)*teacher.Columns])
		sampled = append(sampled, row...)
	}
	directions := principal(sampled, teacher.Columns, columns)
	matrix := kernel.PackF32(columns, teacher.Columns, func(output int, to []float32) {
		copy(to, directions[output*teacher.Columns:])
	})
	factors := levels(directions, sampled)
	l.targets = make([]float32, len(l.texts)*columns)
	const part = 512
	wide := make([]float32, part*teacher.Columns)
	for first := 0; first < len(l.texts); first += part {
		count := min(part, len(l.texts)-first)
		kernel.FromF16(wide[:count*teacher.Columns], halves[first*teacher.Columns:(first+count)*teacher.Columns])
		matrix.Product(l.targets[first*columns:], columns, wide, teacher.Columns, count)
	}
	for i := range l.targets {
		l.targets[i] *= factors[i%columns]
	}
	return l, nil
}

// levels returns the factors of targets along each direction.
func levels(directions, rows []float32) []float32 {
	factors := make([]float32, columns)
	first := 0.0
	for d := range factors {
		variance := 0.0
		for row := 0; row < len(rows); row += teacher.Columns {
			along := float64(kernel.Dot(directions[d*teacher.Columns:(d+1)*teacher.Columns], rows[row:row+teacher.Columns]))
			variance += along * along
		}
		if d == 0 {
			first = variance
		}
		factors[d] = float32(math.Pow(variance/first, -level))
	}
	return factors
}

// translate adds the lines of other languages whose English line has a target.
func (l *lessons) translate(translations []corpus.Translation) {
	of := map[string]int{}
	for i, text := range l.texts {
		of[string(text)] = i
	}
	for _, translation := range translations {
		for _, pair := range []corpus.Pair{translation.Pair, translation.Long} {
			if i, found := of[pair[0]]; found && pair[1] != "" && pair[1] != pair[0] {
				l.texts = append(l.texts, []byte(pair[1]))
				l.kinds = append(l.kinds, corpus.Translated)
				l.targets = append(l.targets, l.target(i)...)
			}
		}
	}
}

// held returns a text that is held, if there is one.
func (l *lessons) held(held corpus.Held) (text string, found bool) {
	for _, text := range l.texts {
		if held.Has(string(text)) {
			return string(text), true
		}
	}
	return "", false
}

// count returns the number of sentences of a kind.
func (l *lessons) count(kind corpus.Kind) (count int) {
	for _, k := range l.kinds {
		if k == kind {
			count++
		}
	}
	return count
}

func (l *lessons) target(i int) []float32 { return l.targets[i*columns : (i+1)*columns] }
