package jpeg

import "encoding/binary"

// natural maps the order of coefficients in a file (zigzag) to their place in a block, row by row.
// A run may lead past the last coefficient; such a block is refused afterwards.
var natural = [128]byte{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
}

// defineQuantizers reads quantization tables.
func (d *Decoder) defineQuantizers(body []byte) error {
	for len(body) > 0 {
		wide, number := body[0]>>4, body[0]&15
		size := 1 + 64*(1+int(wide))
		if wide > 1 || number > 3 || len(body) < size {
			return malformed("the JPEG does not decode: quantization table %d with values of kind %d, in %d bytes", number, wide, len(body))
		}
		for i, at := range natural[:64] {
			if wide == 0 {
				d.quantizers[number][at] = uint16(body[1+i])
			} else {
				d.quantizers[number][at] = binary.BigEndian.Uint16(body[1+2*i:])
			}
		}
		body = body[size:]
	}
	return nil
}

// defineHuffman reads Huffman tables.
func (d *Decoder) defineHuffman(body []byte) error {
	for len(body) > 0 {
		if len(body) < 17 || body[0]>>4 > 1 || body[0]&15 > 3 {
			return malformed("the JPEG does not decode: a Huffman table of kind %#02x in %d bytes", body[0], len(body))
		}
		alternating, number := body[0]>>4, body[0]&15
		counts, count := (*[16]byte)(body[1:]), 0
		for _, c := range counts {
			count += int(c)
		}
		if count > 256 || len(body) < 17+count {
			return malformed("the JPEG does not decode: a Huffman table of %d codes in %d bytes", count, len(body))
		}
		symbols := body[17 : 17+count]
		for _, symbol := range symbols {
			if alternating == 0 && symbol > 15 {
				return malformed("the JPEG does not decode: a first coefficient of %d bits", symbol)
			}
		}
		if !d.huffman[alternating][number].define(counts, symbols) {
			return malformed("the JPEG does not decode: Huffman table %#02x has more codes than its lengths allow", body[0])
		}
		body = body[17+count:]
	}
	return nil
}

// table returns the Huffman table that a scan names. Motion JPEG leaves out the standard ones.
func (d *Decoder) table(alternating, number byte) (*huffman, error) {
	h := &d.huffman[alternating][number]
	if !h.defined {
		if number > 1 {
			return nil, malformed("the JPEG does not decode: it names Huffman table %d, which does not exist", number)
		}
		usual := &standard[alternating][number]
		h.define(&usual.counts, usual.symbols)
	}
	return h, nil
}

// defineInterval reads the number of units between restarts of a scan.
func (d *Decoder) defineInterval(body []byte) error {
	if len(body) != 2 {
		return malformed("the JPEG does not decode: a restart interval of %d bytes", len(body))
	}
	d.interval = int(binary.BigEndian.Uint16(body))
	return nil
}
