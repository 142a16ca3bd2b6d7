package onnx

import (
	"encoding/binary"
	"math"
)

// message is a Protocol Buffers message being written. Fields are identified by their numbers in
// onnx.proto.
type message []byte

const (
	wireVarint  = 0
	wireBytes   = 2
	wireFixed32 = 5
)

func (m *message) key(field, wire int) { *m = binary.AppendUvarint(*m, uint64(field<<3|wire)) }

func (m *message) number(field, value int) {
	m.key(field, wireVarint)
	*m = binary.AppendUvarint(*m, uint64(value))
}

func (m *message) float(field int, value float32) {
	m.key(field, wireFixed32)
	*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(value))
}

func (m *message) bytes(field int, value []byte) {
	m.key(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(value)))
	*m = append(*m, value...)
}

func (m *message) text(field int, value string) { m.bytes(field, []byte(value)) }

func (m *message) message(field int, fill func(*message)) {
	var inner message
	fill(&inner)
	m.bytes(field, inner)
}

const (
	typeFloat = 1
	typeInt32 = 6
	typeInt64 = 7
)

// value declares an input or output of a graph. A dimension is a number or a name.
func (m *message) value(field int, name string, kind int, dimensions ...any) {
	m.message(field, func(m *message) {
		m.text(1, name)
		m.message(2, func(m *message) {
			m.message(1, func(m *message) {
				m.number(1, kind)
				m.message(2, func(m *message) {
					for _, dimension := range dimensions {
						m.message(1, func(m *message) {
							if count, counted := dimension.(int); counted {
								m.number(1, count)
							} else {
								m.text(2, dimension.(string))
							}
						})
					}
				})
			})
		})
	})
}
