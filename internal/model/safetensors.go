package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

const (
	largestHeader  = 16 << 20
	mostTensors    = 65536
	mostDimensions = 8
	metadataName   = "__metadata__"
)

// DType is the kind of a tensor's elements, by its name in the container.
type DType string

// The dtypes of a container. A model uses the first four.
const (
	F32  DType = "F32"
	BF16 DType = "BF16"
	I8   DType = "I8"
	U8   DType = "U8"
	F16  DType = "F16"
	F64  DType = "F64"
	I16  DType = "I16"
	I32  DType = "I32"
	I64  DType = "I64"
	U16  DType = "U16"
	U32  DType = "U32"
	U64  DType = "U64"
	Bool DType = "BOOL"
)

// Size returns the bytes of one element, 0 for a dtype that no container holds.
func (d DType) Size() int {
	switch d {
	case I8, U8, Bool:
		return 1
	case BF16, F16, I16, U16:
		return 2
	case F32, I32, U32:
		return 4
	case F64, I64, U64:
		return 8
	}
	return 0
}

// Tensor is a named array, elements in row-major order and little-endian.
type Tensor struct {
	Name  string
	DType DType
	// Shape has at most eight dimensions. An empty shape is a single element.
	Shape []int
	// Data is a part of the container that the tensor was read from, or the bytes to write.
	Data []byte
}

// Container is a parsed safetensors file. Its tensors are views of the bytes it was read from.
type Container struct {
	// Metadata is the file's map of strings.
	Metadata map[string]string
	// Tensors are all tensors by name, including those that no model uses.
	Tensors map[string]Tensor

	bodyStart int
}

// ReadContainer parses a safetensors file without copying its body. The bytes must stay unchanged
// while the container or anything read from it is in use.
//
// Errors wrap [errors.ErrMalformed] and name the tensor at fault. A file that is truncated, has
// extra bytes, or whose tensors overlap is refused.
func ReadContainer(file []byte) (*Container, error) {
	container, err := readContainer(file)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return container, nil
}

func readContainer(file []byte) (*Container, error) {
	if len(file) < 8 {
		return nil, malformed("%d bytes are too few for a header", len(file))
	}
	length := binary.LittleEndian.Uint64(file)
	if length > largestHeader {
		return nil, malformed("a header of %d bytes exceeds %d", length, largestHeader)
	}
	if length > uint64(len(file)-8) {
		return nil, malformed("a header of %d bytes ends past the file's %d", length, len(file))
	}
	container := &Container{Tensors: map[string]Tensor{}, bodyStart: 8 + int(length)}
	header := file[8:container.bodyStart]
	spans, err := container.readHeader(header)
	if err != nil {
		return nil, err
	}
	if err := container.place(spans, file[container.bodyStart:]); err != nil {
		return nil, err
	}
	return container, nil
}

// span is the range of a tensor in the body, as the header says.
type span struct {
	tensor     Tensor
	begin, end int
}

func (c *Container) readHeader(header []byte) ([]span, error) {
	reader, err := newReader(header)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	var spans []span
	err = reader.object(func(name string) error {
		if name == metadataName {
			if err := c.readMetadata(reader); err != nil {
				return fmt.Errorf("%s: %w", metadataName, err)
			}
			return nil
		}
		if len(spans) == mostTensors {
			return malformed("more than %d tensors", mostTensors)
		}
		span, err := readTensor(reader, name)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		spans = append(spans, span)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return spans, nil
}

func (c *Container) readMetadata(reader *reader) error {
	c.Metadata = map[string]string{}
	return reader.object(func(name string) error {
		text, err := reader.text()
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		c.Metadata[name] = text
		return nil
	})
}

func readTensor(reader *reader, name string) (span, error) {
	result := span{tensor: Tensor{Name: name}}
	var shaped, placed bool
	err := reader.object(func(member string) (err error) {
		switch member {
		case "dtype":
			var text string
			text, err = reader.text()
			result.tensor.DType = DType(text)
		case "shape":
			shaped = true
			err = reader.array(func(index int) error {
				if index == mostDimensions {
					return malformed("more than %d dimensions", mostDimensions)
				}
				dimension, err := reader.size()
				result.tensor.Shape = append(result.tensor.Shape, dimension)
				return err
			})
		case "data_offsets":
			placed = true
			var offsets []int
			err = reader.array(func(index int) error {
				if index == 2 {
					return malformed("more than two offsets")
				}
				offset, err := reader.size()
				offsets = append(offsets, offset)
				return err
			})
			if err == nil && len(offsets) != 2 {
				err = malformed("%d offsets instead of two", len(offsets))
			}
			if err == nil {
				result.begin, result.end = offsets[0], offsets[1]
			}
		default:
			err = reader.skip()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", member, err)
		}
		return nil
	})
	if err != nil {
		return span{}, err
	}
	size, err := result.tensor.size()
	switch {
	case err != nil:
		return span{}, malformed("%v", err)
	case !shaped:
		return span{}, malformed("no shape")
	case !placed:
		return span{}, malformed("no data_offsets")
	case result.end < result.begin || result.end-result.begin != size:
		return span{}, malformed("data_offsets [%d, %d] where %s %v takes %d bytes",
			result.begin, result.end, result.tensor.DType, result.tensor.Shape, size)
	}
	return result, nil
}

// size returns the bytes of a tensor of its shape and dtype, at most 63 bits of them. Its errors
// have no status: what is a malformed file for a reader is a wrong argument for a writer.
func (t Tensor) size() (int, error) {
	size := t.DType.Size()
	switch {
	case size == 0:
		return 0, fmt.Errorf("unknown dtype %q", t.DType)
	case len(t.Shape) > mostDimensions:
		return 0, fmt.Errorf("shape %v has more than %d dimensions", t.Shape, mostDimensions)
	case slices.Contains(t.Shape, 0):
		return 0, nil
	}
	for _, dimension := range t.Shape {
		if dimension < 0 || size > math.MaxInt/dimension {
			return 0, fmt.Errorf("shape %v is negative or too large", t.Shape)
		}
		size *= dimension
	}
	return size, nil
}

// place gives every tensor its part of the body, which they must cover exactly.
func (c *Container) place(spans []span, body []byte) error {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	end := 0
	for _, span := range spans {
		switch {
		case span.begin != end:
			return malformed("tensor %q begins at %d of the body, the one before ends at %d", span.tensor.Name, span.begin, end)
		case span.end > len(body):
			return malformed("tensor %q ends at %d of the body's %d bytes", span.tensor.Name, span.end, len(body))
		}
		end = span.end
		span.tensor.Data = body[span.begin:span.end:span.end]
		c.Tensors[span.tensor.Name] = span.tensor
	}
	if end != len(body) {
		return malformed("%d bytes follow the last tensor", len(body)-end)
	}
	return nil
}
