package platform

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// elfTarget is what an ELF file says about the processor it was built for.
type elfTarget struct {
	class   elf.Class
	data    elf.Data
	machine elf.Machine
}

var elfTargets = map[string]elfTarget{
	"386":     {elf.ELFCLASS32, elf.ELFDATA2LSB, elf.EM_386},
	"amd64":   {elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_X86_64},
	"arm":     {elf.ELFCLASS32, elf.ELFDATA2LSB, elf.EM_ARM},
	"arm64":   {elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_AARCH64},
	"loong64": {elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_LOONGARCH},
	"ppc64":   {elf.ELFCLASS64, elf.ELFDATA2MSB, elf.EM_PPC64},
	"ppc64le": {elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_PPC64},
	"riscv64": {elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_RISCV},
	"s390x":   {elf.ELFCLASS64, elf.ELFDATA2MSB, elf.EM_S390},
}

// String is Go's name of the processor, or ELF's where Go has none.
func (target elfTarget) String() string {
	for goarch, known := range elfTargets {
		if known == target {
			return goarch
		}
	}
	return fmt.Sprintf("%v (%v, %v)", target.machine, target.class, target.data)
}

// elfShape is how the tables of a class are laid out.
type elfShape struct {
	header, segment, section, tag int // sizes in bytes
	word                          func(order binary.ByteOrder, entry []byte, offset int) uint64
	segmentsAt, sectionsAt        int // where the header tells where the tables begin
	counts                        int // where the header's sizes and counts of entries begin
	fileOffset, fileSize, memory  int // of a segment
}

var elfShapes = map[elf.Class]elfShape{
	elf.ELFCLASS32: {
		header: 52, segment: 32, section: 40, tag: 8,
		word: func(order binary.ByteOrder, entry []byte, offset int) uint64 {
			return uint64(order.Uint32(entry[offset:]))
		},
		segmentsAt: 28, sectionsAt: 32, counts: 42, fileOffset: 4, fileSize: 16, memory: 20,
	},
	elf.ELFCLASS64: {
		header: 64, segment: 56, section: 64, tag: 16,
		word: func(order binary.ByteOrder, entry []byte, offset int) uint64 {
			return order.Uint64(entry[offset:])
		},
		segmentsAt: 32, sectionsAt: 40, counts: 54, fileOffset: 8, fileSize: 32, memory: 40,
	},
}

func inspectELF(file image, goarch string) error {
	ident, err := file.bytes("ELF header", 0, elf.EI_NIDENT)
	if err != nil {
		return err
	}
	class, data := elf.Class(ident[elf.EI_CLASS]), elf.Data(ident[elf.EI_DATA])
	shape, known := elfShapes[class]
	if !known {
		return fmt.Errorf("its ELF class is neither 32 nor 64 bits but %v", class)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	header, err := file.bytes("ELF header", 0, uint64(shape.header))
	if err != nil {
		return err
	}
	if target := (elfTarget{class, data, elf.Machine(order.Uint16(header[18:]))}); target != elfTargets[goarch] {
		return wrongProcessor(target.String(), goarch)
	}
	if kind := elf.Type(order.Uint16(header[16:])); kind != elf.ET_DYN {
		return fmt.Errorf("not a shared library: its ELF type is %v, not %v", kind, elf.ET_DYN)
	}
	counts := func(i int) int { return int(order.Uint16(header[shape.counts+2*i:])) }
	if size := counts(0); size != shape.segment {
		return fmt.Errorf("its segment table has entries of %d bytes, not %d", size, shape.segment)
	}
	segments, err := file.table("segment table", shape.word(order, header, shape.segmentsAt), counts(1), shape.segment)
	if err != nil {
		return err
	}
	if err := inspectSegments(file, order, shape, segments); err != nil {
		return err
	}
	// The loader has no use for sections, but linkers write them last, so they tell of a cut that
	// spared the segments.
	if offset := shape.word(order, header, shape.sectionsAt); offset != 0 {
		return file.holds("section table", offset, uint64(counts(2))*uint64(counts(3)))
	}
	return nil
}

// inspectSegments wants every segment inside of the file, at least one that is loaded, and a
// dynamic section.
func inspectSegments(file image, order binary.ByteOrder, shape elfShape, segments [][]byte) error {
	var loaded, dynamic bool
	for i, segment := range segments {
		offset, size := shape.word(order, segment, shape.fileOffset), shape.word(order, segment, shape.fileSize)
		if err := file.holds(fmt.Sprintf("segment %d", i), offset, size); err != nil {
			return err
		}
		switch elf.ProgType(order.Uint32(segment)) {
		case elf.PT_LOAD:
			loaded = true
			if memory := shape.word(order, segment, shape.memory); size > memory {
				return fmt.Errorf("segment %d has %d bytes in the file, but only %d in memory", i, size, memory)
			}
		case elf.PT_DYNAMIC:
			if dynamic {
				return errors.New("it has two dynamic sections")
			}
			dynamic = true
			if err := inspectDynamic(file, order, shape, offset, size); err != nil {
				return err
			}
		}
	}
	if !loaded || !dynamic {
		return errors.New("not a shared library: it lacks a loaded segment or a dynamic section")
	}
	return nil
}

// inspectDynamic refuses a program, which has the type of a shared library where its position is
// independent.
func inspectDynamic(file image, order binary.ByteOrder, shape elfShape, offset, size uint64) error {
	for end := offset + size; offset+uint64(shape.tag) <= end; offset += uint64(shape.tag) {
		entry, err := file.bytes("dynamic section", offset, uint64(shape.tag))
		if err != nil {
			return err
		}
		value := shape.word(order, entry, shape.tag/2)
		switch elf.DynTag(shape.word(order, entry, 0)) {
		case elf.DT_NULL:
			return nil
		case elf.DT_FLAGS_1:
			if elf.DynFlag1(value)&elf.DF_1_PIE != 0 {
				return errors.New("not a shared library but a program")
			}
		}
	}
	return nil
}
