package tokenizer

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// pieceKind is what a piece of SentencePiece is for.
type pieceKind uint8

const (
	normalPiece pieceKind = 1 + iota
	unknownPiece
	controlPiece
	userPiece // always a token by itself
	unusedPiece
	bytePiece
)

type modelPiece struct {
	text  string
	score float32
	kind  pieceKind
}

// Kinds of models.
const (
	unigramPieces = 1
	bpePieces     = 2
)

// modelProto is a model of SentencePiece, as far as it says how texts are encoded.
type modelProto struct {
	pieces       []modelPiece
	model        int
	byteFallback bool
	suffixes     bool // a mark of white space follows its word
	unknown      int
	charsmap     []byte
	dummyPrefix  bool
	removeExtra  bool
	escapes      bool
}

// parseModelProto reads a message ModelProto of sentencepiece_model.proto. Fields that it does not
// know are left out.
func parseModelProto(ctx context.Context, data []byte) (*modelProto, error) {
	m := &modelProto{model: unigramPieces, dummyPrefix: true, removeExtra: true, escapes: true}
	err := eachField(ctx, data, func(f field) error {
		switch f.number {
		case 1:
			p := modelPiece{kind: normalPiece}
			if err := f.message(ctx, p.set); err != nil {
				return fmt.Errorf("piece %d: %w", len(m.pieces), err)
			}
			if len(m.pieces) == maxPieces {
				return unsupported("there are over %d pieces", maxPieces)
			}
			m.pieces = append(m.pieces, p)
		case 2:
			return f.message(ctx, m.setTrainer)
		case 3:
			return f.message(ctx, m.setNormalizer)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if m.model != unigramPieces && m.model != bpePieces {
		return nil, unsupported("model_type %d is not supported: unigram is %d, bpe %d", m.model, unigramPieces, bpePieces)
	}
	if m.unknown < 0 || m.unknown >= len(m.pieces) {
		return nil, fmt.Errorf("unk_id is %d of %d pieces", m.unknown, len(m.pieces))
	}
	return m, nil
}

func (p *modelPiece) set(f field) error {
	var err error
	switch f.number {
	case 1:
		var text []byte
		text, err = f.bytes()
		if err == nil && !utf8.Valid(text) {
			err = fmt.Errorf("%q is not UTF-8", text)
		}
		p.text = string(text)
	case 2:
		p.score, err = f.float()
		if err == nil && (math.IsNaN(float64(p.score)) || math.IsInf(float64(p.score), 0)) {
			err = fmt.Errorf("the score %v", p.score)
		}
	case 3:
		var kind int
		kind, err = f.integer()
		if err == nil && (kind < int(normalPiece) || kind > int(bytePiece)) {
			err = unsupported("the type %d of a piece is not supported", kind)
		}
		p.kind = pieceKind(kind)
	}
	return err
}

func (m *modelProto) setTrainer(f field) (err error) {
	switch f.number {
	case 3:
		m.model, err = f.integer()
	case 24:
		m.suffixes, err = f.flag()
	case 35:
		m.byteFallback, err = f.flag()
	case 40:
		m.unknown, err = f.integer()
	}
	return err
}

func (m *modelProto) setNormalizer(f field) (err error) {
	switch f.number {
	case 2:
		m.charsmap, err = f.bytes()
	case 3:
		m.dummyPrefix, err = f.flag()
	case 4:
		m.removeExtra, err = f.flag()
	case 5:
		m.escapes, err = f.flag()
	}
	return err
}

// Wire types of protocol buffers.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// field is one field of a message: a number, or bytes that lie in the message.
type field struct {
	number, wire int
	value        uint64
	content      []byte
}

// eachField calls do with the fields of a message, in their order. When ctx is done, it ends with
// its error.
func eachField(ctx context.Context, data []byte, do func(f field) error) error {
	size := len(data)
	for count := 1; len(data) > 0; count++ {
		if count%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		at := size - len(data)
		key, n := binary.Uvarint(data)
		if n <= 0 || key>>3 == 0 || key>>3 > 1<<29-1 {
			return fmt.Errorf("no field at byte %d of %d", at, size)
		}
		data = data[n:]
		f := field{number: int(key >> 3), wire: int(key & 7)}
		switch f.wire {
		case wireVarint:
			f.value, n = binary.Uvarint(data)
		case wireFixed64:
			n = 8
		case wireFixed32:
			n = 4
		case wireBytes:
			var length uint64
			if length, n = binary.Uvarint(data); n > 0 {
				if length > uint64(len(data)-n) {
					return fmt.Errorf("field %d at byte %d has %d bytes of %d", f.number, at, length, len(data)-n)
				}
				f.content = data[n:][:length]
				n += int(length)
			}
		default:
			return fmt.Errorf("field %d at byte %d has the wire type %d", f.number, at, f.wire)
		}
		if n <= 0 || n > len(data) {
			return fmt.Errorf("field %d at byte %d is cut off", f.number, at)
		}
		if f.wire == wireFixed32 {
			f.value = uint64(binary.LittleEndian.Uint32(data))
		}
		data = data[n:]
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

func (f field) is(wire int) error {
	if f.wire != wire {
		return fmt.Errorf("field %d has the wire type %d, not %d", f.number, f.wire, wire)
	}
	return nil
}

func (f field) bytes() ([]byte, error) { return f.content, f.is(wireBytes) }
func (f field) flag() (bool, error)    { return f.value != 0, f.is(wireVarint) }
func (f field) integer() (int, error)  { return int(int32(f.value)), f.is(wireVarint) }
func (f field) float() (float32, error) {
	return math.Float32frombits(uint32(f.value)), f.is(wireFixed32)
}

func (f field) message(ctx context.Context, set func(f field) error) error {
	if err := f.is(wireBytes); err != nil {
		return err
	}
	return eachField(ctx, f.content, set)
}
