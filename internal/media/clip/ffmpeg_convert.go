//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package clip

// converter makes frames of any kind into pictures, in steps that it keeps for the next frame of the kind.
type converter struct {
	*ffmpeg
	kind  frameHead
	steps []step
}

// step is a scaler of FFmpeg's, with the frame that it writes.
type step struct {
	scaler, frame uintptr
	head          frameHead
}

// Options of scalers.
const (
	scaleBilinear   = 0x2
	scaleBicubic    = 0x4
	scaleFullChroma = 0x2000
	scaleAccurate   = 0x40000

	levelsFull = 2 // of a context's color_range
)

// convert makes a picture of a frame that a decoder has written.
func (c *converter) convert(context, frame uintptr, head frameHead) (*picture, error) {
	if c.steps == nil || head.width != c.kind.width || head.height != c.kind.height || head.format != c.kind.format {
		c.free()
		c.kind = head
		if err := c.prepare(context); err != nil {
			return nil, err
		}
	}
	for _, s := range c.steps {
		c.scale(s.scaler, frame, frame+frameStrides, 0, head.height, s.frame, s.frame+frameStrides)
		frame = s.frame
	}
	last := c.steps[len(c.steps)-1].head
	im := &picture{Width: int(last.width), Height: int(last.height), RGB: make([]byte, 3*int(last.width)*int(last.height))}
	row := 3 * last.width
	c.readMemory(&im.RGB[0], row, last.data, last.stride, row, last.height)
	return im, nil
}

// prepare makes the steps. Chroma that is shared by pixels is interpolated as it is in pictures, between centres and one part
// far to three parts near; the scaler does that to planes, but takes a shortcut to RGB.
func (c *converter) prepare(context uintptr) error {
	matrix, levels := int64(unspecified), int64(0)
	c.integer(context, "colorspace", 0, &matrix)
	c.integer(context, "color_range", 0, &levels)
	full := int32(0)
	if levels == levelsFull {
		full = 1
	}
	format := c.kind.format
	var across, down int32
	if code := c.chroma(format, &across, &down); code < 0 {
		return c.failure(code)
	}
	if across > 0 || down > 0 {
		if err := c.add(format, formatYUV444, scaleBilinear|scaleAccurate, int32(matrix), int32(matrix), full, full); err != nil {
			return err
		}
		format = formatYUV444
	}
	return c.add(format, formatRGB24, scaleBicubic|scaleAccurate|scaleFullChroma, int32(matrix), unspecified, full, 1)
}

// add adds a step.
func (c *converter) add(from, to, options, fromMatrix, toMatrix, fromFull, toFull int32) error {
	width, height := c.kind.width, c.kind.height
	s := step{scaler: c.scalerAlloc(width, height, from, width, height, to, options, 0, 0, 0), frame: c.frameAlloc()}
	c.steps = append(c.steps, s)
	if s.scaler == 0 || s.frame == 0 {
		c.free()
		return unsupported("FFmpeg does not convert pixels of its format %d", from)
	}
	const one = 1 << 16
	// Formats without luma refuse this, and do not need it.
	c.scalerColour(s.scaler, c.coefficients(fromMatrix), fromFull, c.coefficients(toMatrix), toFull, 0, one, one)
	c.write32(s.frame+frameWidth, width)
	c.write32(s.frame+frameHeight, height)
	c.write32(s.frame+frameFormat, to)
	if code := c.frameGetBuffer(s.frame, 0); code < 0 {
		c.free()
		return c.failure(code)
	}
	c.steps[len(c.steps)-1].head = c.frameHead(s.frame)
	return nil
}

// free frees the steps.
func (c *converter) free() {
	for i := range c.steps {
		if s := &c.steps[i]; s.scaler != 0 {
			c.scalerFree(s.scaler)
		}
		c.frameFree(&c.steps[i].frame)
	}
	c.steps = nil
}
