package model

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Write writes a model: its configuration and its tensors, which are all those of the architecture,
// and any more. It does not check the set and the shapes against the configuration; reading the
// file does that.
//
// A configuration out of range, a tensor whose bytes do not match its shape, or a duplicate name is
// [errors.ErrInvalidArgument]. An error of w is returned unchanged.
func Write(w io.Writer, config *Config, tensors []Tensor) error {
	metadata, err := config.Metadata()
	if err != nil {
		return err
	}
	return WriteContainer(w, metadata, tensors)
}

// WriteContainer writes a safetensors file that can be used in place: the body begins at a multiple
// of eight bytes, and tensors of wider elements come first. Errors are as for [Write].
func WriteContainer(w io.Writer, metadata map[string]string, tensors []Tensor) error {
	ordered := slices.Clone(tensors)
	slices.SortStableFunc(ordered, func(a, b Tensor) int { return -cmp.Compare(a.DType.Size(), b.DType.Size()) })
	header, err := headerOf(metadata, ordered)
	if err != nil {
		return err
	}
	for _, part := range append([][]byte{header}, dataOf(ordered)...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func dataOf(tensors []Tensor) [][]byte {
	data := make([][]byte, 0, len(tensors))
	for _, tensor := range tensors {
		data = append(data, tensor.Data)
	}
	return data
}

// headerOf returns the beginning of the container, with its length.
func headerOf(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	type entry struct {
		DType   DType  `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	members := map[string]any{}
	if len(metadata) > 0 {
		members[metadataName] = metadata
	}
	offset := 0
	for _, tensor := range tensors {
		size, err := tensor.size()
		switch _, taken := members[tensor.Name]; {
		case err != nil:
			return nil, fmt.Errorf("tensor %q: %v: %w", tensor.Name, err, errors.ErrInvalidArgument)
		case size != len(tensor.Data):
			return nil, fmt.Errorf("tensor %q: %d bytes where %s %v takes %d: %w",
				tensor.Name, len(tensor.Data), tensor.DType, tensor.Shape, size, errors.ErrInvalidArgument)
		case taken || tensor.Name == metadataName:
			return nil, fmt.Errorf("tensor %q: the name occurs twice: %w", tensor.Name, errors.ErrInvalidArgument)
		case !utf8.ValidString(tensor.Name):
			return nil, fmt.Errorf("tensor %q: the name is not UTF-8: %w", tensor.Name, errors.ErrInvalidArgument)
		}
		shape := append([]int{}, tensor.Shape...)
		members[tensor.Name] = entry{tensor.DType, shape, [2]int{offset, offset + size}}
		offset += size
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("header: %v: %w", err, errors.ErrInvalidArgument)
	}
	text = append(text, bytes.Repeat([]byte{' '}, -len(text)&7)...)
	if len(text) > largestHeader {
		return nil, fmt.Errorf("header: %d bytes are above %d: %w", len(text), largestHeader, errors.ErrInvalidArgument)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), nil
}

// FloatTensor returns a tensor of f32. Its shape must hold as many elements as values has.
func FloatTensor(name string, values []float32, shape ...int) Tensor {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return Tensor{Name: name, DType: F32, Shape: shape, Data: data}
}

// HalfTensor returns a tensor of bf16, each value rounded to the nearest one.
func HalfTensor(name string, values []float32, shape ...int) Tensor {
	data := make([]byte, 0, 2*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint16(data, kernel.BF16(v))
	}
	return Tensor{Name: name, DType: BF16, Shape: shape, Data: data}
}

// Int8Tensors returns a matrix in signed bytes and the scales of its rows. A row's largest element
// becomes ±127.
func Int8Tensors(name string, values []float32, rows, columns int) []Tensor {
	data := make([]byte, 0, len(values))
	scales := make([]float32, rows)
	for row := range rows {
		line := values[row*columns : (row+1)*columns]
		scales[row] = largest(line) / 127
		for _, v := range line {
			data = append(data, byte(int8(quantized(v, scales[row], 127))))
		}
	}
	matrix := Tensor{Name: name, DType: I8, Shape: []int{rows, columns}, Data: data}
	return []Tensor{matrix, FloatTensor(name+".scales", scales, rows)}
}

// Int4Tensors returns a matrix in four-bit integers and the scales of its rows. A row's largest
// element becomes ±7.
func Int4Tensors(name string, values []float32, rows, columns int) []Tensor {
	stride := (columns + 1) / 2
	data := make([]byte, rows*stride)
	scales := make([]float32, rows)
	for row := range rows {
		line := values[row*columns : (row+1)*columns]
		scales[row] = largest(line) / 7
		for c, v := range line {
			data[row*stride+c/2] |= byte(quantized(v, scales[row], 7)+8) << (c % 2 * 4)
		}
	}
	matrix := Tensor{Name: name, DType: U8, Shape: []int{rows, stride}, Data: data}
	return []Tensor{matrix, FloatTensor(name+".scales", scales, rows)}
}

func largest(row []float32) float32 {
	var most float32
	for _, v := range row {
		most = max(most, max(v, -v))
	}
	return most
}

func quantized(v, scale float32, most float64) int {
	if scale == 0 {
		return 0
	}
	return int(max(-most, min(most, math.RoundToEven(float64(v/scale)))))
}
