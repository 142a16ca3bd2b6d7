package clip

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
)

// ffmpeg is what is called in FFmpeg's libraries. Pointers of C are numbers here; those of Go are
// pointers, and C keeps none.
type ffmpeg struct {
	// avutil
	frameAlloc     func() uintptr
	frameFree      func(frame *uintptr)
	frameGetBuffer func(frame uintptr, align int32) int32
	readMemory     func(dst *byte, dstStride int32, src uintptr, srcStride, width, height int32)
	writeMemory    func(dst uintptr, dstStride int32, src *byte, srcStride, width, height int32)
	setOption      func(object uintptr, name, value string, search int32) int32
	setInteger     func(object uintptr, name string, value int64, search int32) int32
	integer        func(object uintptr, name string, search int32, value *int64) int32
	chroma         func(format int32, across, down *int32) int32
	formatName     func(format int32) string
	message        func(code int32, text *byte, size uintptr) int32
	logLevel       func() int32
	setLogLevel    func(level int32)
	utilVersion    func() uint32
	// avcodec
	findDecoder  func(name string) uintptr
	contextAlloc func(codec uintptr) uintptr
	contextFree  func(context *uintptr)
	contextOpen  func(context, codec, options uintptr) int32
	flush        func(context uintptr)
	packetAlloc  func() uintptr
	packetFree   func(packet *uintptr)
	packetNew    func(packet uintptr, size int32) int32
	packetUnref  func(packet uintptr)
	send         func(context, packet uintptr) int32
	receive      func(context, frame uintptr) int32
	codecVersion func() uint32
}

// The fields of FFmpeg's structs that are read or written: those at their beginnings, which have
// lain there in every release since the fourth, on systems of 64 bits. What is loaded has to prove
// it first.
const (
	frameStrides = 64
	frameWidth   = 104
	frameHeight  = 108
	frameFormat  = 116
	framePTS     = 136
	framePrefix  = 144

	packetPTS    = 8
	packetDTS    = 16
	packetData   = 24
	packetSize   = 32
	packetPrefix = 40
)

// Values of FFmpeg's that never change.
const (
	noPTS       = -1 << 63
	endOfFile   = -('E' | 'O'<<8 | 'F'<<16 | ' '<<24)
	formatRGB24 = 2

	logInfo  = 32
	logQuiet = -8
)

// tryAgain is what a decoder answers that needs another packet: an error number of the system's,
// with its sign turned. Package syscall does not have the C library's number on Windows, nor any on
// Plan 9.
var tryAgain = func() int32 {
	switch runtime.GOOS {
	case "darwin", "freebsd", "netbsd":
		return -35
	}
	return -11
}()

// read copies memory of C's to dst.
func (f *ffmpeg) read(dst []byte, src uintptr) {
	f.readMemory(&dst[0], int32(len(dst)), src, int32(len(dst)), int32(len(dst)), 1)
}

// write copies src to memory of C's.
func (f *ffmpeg) write(dst uintptr, src []byte) {
	f.writeMemory(dst, int32(len(src)), &src[0], int32(len(src)), int32(len(src)), 1)
}

func (f *ffmpeg) write32(dst uintptr, value int32) {
	f.write(dst, binary.NativeEndian.AppendUint32(nil, uint32(value)))
}

func (f *ffmpeg) write64(dst uintptr, value int64) {
	f.write(dst, binary.NativeEndian.AppendUint64(nil, uint64(value)))
}

// frameHead is what is read of an AVFrame.
type frameHead struct {
	// data and strides are those of the first planes.
	data                  [3]uintptr
	strides               [3]int32
	width, height, format int32
	pts                   int64
}

func (f *ffmpeg) frameHead(frame uintptr) frameHead {
	var b [framePrefix]byte
	f.read(b[:], frame)
	word := func(at int) int32 { return int32(binary.NativeEndian.Uint32(b[at:])) }
	head := frameHead{
		width: word(frameWidth), height: word(frameHeight), format: word(frameFormat),
		pts: int64(binary.NativeEndian.Uint64(b[framePTS:])),
	}
	for i := range head.data {
		head.data[i], head.strides[i] = uintptr(binary.NativeEndian.Uint64(b[8*i:])), word(frameStrides+4*i)
	}
	return head
}

// packetHead is what is read of an AVPacket.
type packetHead struct {
	pts, dts int64
	data     uintptr
	size     int32
}

func (f *ffmpeg) packetHead(packet uintptr) packetHead {
	var b [packetPrefix]byte
	f.read(b[:], packet)
	return packetHead{
		pts: int64(binary.NativeEndian.Uint64(b[packetPTS:])), dts: int64(binary.NativeEndian.Uint64(b[packetDTS:])),
		data: uintptr(binary.NativeEndian.Uint64(b[packetData:])), size: int32(binary.NativeEndian.Uint32(b[packetSize:])),
	}
}

// prove finds out whether the structs are laid out as the constants say, by what FFmpeg's own
// functions make of them.
func (f *ffmpeg) prove() error {
	packet := f.packetAlloc()
	frame := f.frameAlloc()
	if packet == 0 || frame == 0 {
		return fmt.Errorf("it has no memory")
	}
	defer f.packetFree(&packet)
	defer f.frameFree(&frame)
	const size, width, height = 1234, 50, 20
	if empty := f.packetHead(packet); empty.pts != noPTS || empty.dts != noPTS || empty.data != 0 || empty.size != 0 {
		return fmt.Errorf("its packets are laid out in an unknown way")
	}
	if code := f.packetNew(packet, size); code < 0 {
		return f.failure(code)
	}
	if full := f.packetHead(packet); full.data == 0 || full.size != size {
		return fmt.Errorf("its packets are laid out in an unknown way")
	}
	empty := f.frameHead(frame)
	if empty.pts != noPTS || empty.data[0] != 0 || empty.strides[0] != 0 || empty.width != 0 || empty.height != 0 || empty.format != -1 {
		return fmt.Errorf("its frames are laid out in an unknown way")
	}
	f.write32(frame+frameWidth, width)
	f.write32(frame+frameHeight, height)
	f.write32(frame+frameFormat, formatRGB24)
	if code := f.frameGetBuffer(frame, 0); code < 0 {
		return f.failure(code)
	}
	if full := f.frameHead(frame); full.data[0] == 0 || full.strides[0] < 3*width || full.strides[0] > 3*width+1024 {
		return fmt.Errorf("its frames are laid out in an unknown way")
	}
	return nil
}

// failure is a code of FFmpeg's in words.
func (f *ffmpeg) failure(code int32) error {
	var text [256]byte
	f.message(code, &text[0], uintptr(len(text)))
	end := max(bytes.IndexByte(text[:], 0), 0)
	return fmt.Errorf("FFmpeg: %s", text[:end])
}
