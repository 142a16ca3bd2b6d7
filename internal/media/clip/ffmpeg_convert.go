package clip

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// layout is how a format of FFmpeg's lays out the pixels of a frame.
type layout struct {
	planes, depth int
	// across and down are the pixels that a sample of chroma lies under.
	across, down int
	// full tells of the full range of values, rgb of green, blue and red in place of luma and
	// chroma, big of samples whose first byte is the upper one.
	full, rgb, big bool
}

// layoutOf reads the name of a format, of those that decoders of video write: FFmpeg's numbers of
// them change. What else there is comes from hardware, or is packed.
func layoutOf(name string) (layout, bool) {
	l := layout{planes: 3, depth: 8}
	name, l.big = strings.CutSuffix(name, "be")
	name = strings.TrimSuffix(name, "le")
	kind := strings.TrimRight(name, "0123456789")
	if bits := name[len(kind):]; bits != "" {
		l.depth, _ = strconv.Atoi(bits)
	}
	switch kind {
	case "gray":
		l.planes = 1
	case "gbrp":
		l.rgb = true
	case "yuv410p", "yuv411p", "yuv420p", "yuv422p", "yuv440p", "yuv444p":
	case "yuvj411p", "yuvj420p", "yuvj422p", "yuvj440p", "yuvj444p":
		l.full = true
	default:
		return l, false
	}
	return l, l.depth >= 8 && l.depth <= 16
}

// layout is that of a format by its number.
func (f *ffmpeg) layout(format int32) (layout, error) {
	name := f.formatName(format)
	l, ok := layoutOf(name)
	if !ok {
		return l, unsupported("its pixels are FFmpeg's %q, which nothing here converts", name)
	}
	var across, down int32
	if code := f.chroma(format, &across, &down); code < 0 {
		return l, f.failure(code)
	}
	l.across, l.down = 1<<across, 1<<down
	return l, nil
}

// matrices are H.273's codes, which are FFmpeg's too. BT.601 is meant where none of them is named.
var matrices = map[int64]raster.Matrix{
	1: {Red: 0.2126, Blue: 0.0722}, 4: {Red: 0.30, Blue: 0.11}, 7: {Red: 0.212, Blue: 0.087},
	9: {Red: 0.2627, Blue: 0.0593}, 10: {Red: 0.2627, Blue: 0.0593},
}

const levelsFull = 2 // of a context's color_range

// convert makes a picture of a frame that a decoder has written. FFmpeg's own scaler is not asked:
// it interpolates no chroma between centres, and that of odd sizes at places that fit no pixel.
func (f *ffmpeg) convert(context uintptr, head frameHead) (*picture, error) {
	l, err := f.layout(head.format)
	if err != nil {
		return nil, err
	}
	matrix, levels := int64(unspecified), int64(0)
	f.integer(context, "colorspace", 0, &matrix)
	f.integer(context, "color_range", 0, &levels)
	l.full = l.full || levels == levelsFull
	weights, named := matrices[matrix]
	if !named {
		weights = raster.BT601
	}
	if l.depth == 8 {
		return frameOf(l, head, weights, f.plane), nil
	}
	return frameOf(l, head, weights, func(data uintptr, stride int32, columns, rows int) []uint16 {
		order := binary.ByteOrder(binary.LittleEndian)
		if l.big {
			order = binary.BigEndian
		}
		samples := make([]uint16, 0, columns*rows)
		for y := range rows {
			for row := f.plane(data+uintptr(y*int(stride)), stride, 2*columns, 1); len(row) > 0; row = row[2:] {
				samples = append(samples, order.Uint16(row))
			}
		}
		return samples
	}), nil
}

// plane copies rows of some bytes.
func (f *ffmpeg) plane(data uintptr, stride int32, columns, rows int) []byte {
	plane := make([]byte, columns*rows)
	f.readMemory(&plane[0], int32(columns), data, stride, int32(columns), int32(rows))
	return plane
}

// frameOf converts a frame whose planes a function reads.
func frameOf[T byte | uint16](l layout, head frameHead, weights raster.Matrix, read func(data uintptr, stride int32, columns, rows int) []T) *picture {
	frame := &raster.Frame[T]{
		Width: int(head.width), Height: int(head.height), Across: l.across, Down: l.down,
		Depth: l.depth, RGB: l.rgb, Matrix: weights, Full: l.full,
	}
	for i := range l.planes {
		columns, rows := frame.Width, frame.Height
		if i > 0 {
			columns, rows = (columns+l.across-1)/l.across, (rows+l.down-1)/l.down
		}
		frame.Planes = append(frame.Planes, read(head.data[i], head.strides[i], columns, rows))
	}
	return frame.Image()
}
