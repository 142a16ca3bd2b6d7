package clip

// describe reads the description of the samples: their codec, its header, and the fields of the
// pictures.
func (m *movie) describe() error {
	if m.entry == 0 {
		m.entry = 1 // there are no samples, or no table says which they have
	}
	if uint64(m.entry) > uint64(len(m.entries)) {
		return malformed("the MP4 does not decode: its samples name description %d of %d", m.entry, len(m.entries))
	}
	entry := m.entries[m.entry-1]
	t := m.track
	f := fields{rest: entry.body}
	f.take(24)
	t.width, t.height = int(f.u16()), int(f.u16())
	f.take(50)
	if f.short {
		return malformed("the MP4 does not decode: the description of its video is cut off")
	}
	parts, err := children(f.rest, "avcC", "hvcC", "av1C", "esds", "colr")
	if err != nil {
		return err
	}
	t.readColour(parts["colr"].body)
	switch entry.kind {
	case "avc1", "avc3":
		t.codec, t.config = h264, parts["avcC"].body
	case "hvc1", "hev1":
		t.codec, t.config = hevc, parts["hvcC"].body
	case "av01":
		t.codec, t.config = av1, parts["av1C"].body
	case "vp08":
		t.codec = vp8
	case "vp09":
		t.codec = vp9
	case "jpeg":
		t.codec = mjpeg
	case "mp4v":
		return t.readElementary(parts["esds"].body)
	case "encv":
		return unsupported("the MP4 is encrypted: decrypt it first")
	default:
		return unsupported("the MP4's video is %q, which is not supported: encode it as H.264", entry.kind)
	}
	return nil
}

// readColour reads a colr box of the kinds that name a matrix.
func (t *track) readColour(body []byte) {
	f := fields{rest: body}
	kind := string(f.take(4))
	f.take(4)
	matrix := f.u16()
	if f.short || kind != "nclx" && kind != "nclc" {
		return
	}
	t.colour.matrix = int(matrix)
	if kind == "nclx" && len(f.rest) > 0 {
		t.colour.levels = 1 + int(f.u8()>>7)
	}
}

// The tags of the descriptors in an esds, and the codecs that they name.
const (
	elementaryStream = 3
	decoderConfig    = 4
	decoderSpecific  = 5

	objectMPEG4 = 0x20
	objectJPEG  = 0x6C
)

// readElementary reads an esds box, which names codecs of MPEG's older standards.
func (t *track) readElementary(body []byte) error {
	f := fields{rest: body}
	f.u32()
	stream := descriptor(&f, elementaryStream)
	stream.u16()
	flags := stream.u8()
	if flags&0x80 != 0 {
		stream.u16()
	}
	if flags&0x40 != 0 {
		stream.take(int(stream.u8()))
	}
	if flags&0x20 != 0 {
		stream.u16()
	}
	config := descriptor(&stream, decoderConfig)
	object := config.u8()
	config.take(12)
	if config.short {
		return malformed("the MP4 does not decode: the description of its video is cut off")
	}
	switch {
	case object == objectMPEG4:
		specific := descriptor(&config, decoderSpecific)
		t.codec, t.config = mpeg4, specific.rest
	case object == objectJPEG:
		t.codec = mjpeg
	case object >= 0x60 && object <= 0x65:
		return unsupported("the MP4's video is MPEG-2, which is not supported: encode it as H.264")
	case object == 0x6A:
		return unsupported("the MP4's video is MPEG-1, which is not supported: encode it as H.264")
	default:
		return unsupported("the MP4's video is object type %#x of MPEG-4, which is not supported: encode it as H.264", object)
	}
	return nil
}

// descriptor enters the next descriptor, which must have a given tag. Its length has seven bits per
// byte, in at most four bytes.
func descriptor(f *fields, tag uint8) fields {
	if f.u8() != tag {
		return fields{short: true}
	}
	length := 0
	for range 4 {
		part := f.u8()
		length = length<<7 | int(part&0x7F)
		if part&0x80 == 0 {
			break
		}
	}
	body := f.take(length)
	return fields{rest: body, short: f.short}
}
