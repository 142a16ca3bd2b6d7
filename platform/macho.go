package platform

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

var machoProcessors = map[string]macho.Cpu{
	"386":   macho.Cpu386,
	"amd64": macho.CpuAmd64,
	"arm":   macho.CpuArm,
	"arm64": macho.CpuArm64,
}

// Sizes and limits of the headers.
const (
	machoHeader32    = 28
	machoHeader64    = 32
	machoCommandsMax = 16 << 20 // bytes of load commands; real libraries have a few thousand
	universalMax     = 64       // of processors; a Java class has the same magic, a larger number
)

// inspectUniversal looks for the file of goarch among those in a universal one.
func inspectUniversal(file image, goarch string) error {
	header, err := file.bytes("universal header", 0, 8)
	if err != nil {
		return err
	}
	order, count, size := binary.BigEndian, binary.BigEndian.Uint32(header[4:]), 20
	wide := bytes.HasPrefix(header, magicUniversal64)
	if wide {
		size = 32
	}
	if count > universalMax {
		return fmt.Errorf("not a library: a universal file has no %d processors", count)
	}
	entries, err := file.table("universal table", 8, int(count), size)
	if err != nil {
		return err
	}
	var found []string
	for _, entry := range entries {
		processor := macho.Cpu(order.Uint32(entry))
		if processor != machoProcessors[goarch] {
			found = append(found, machoProcessor(processor))
			continue
		}
		offset, length := uint64(order.Uint32(entry[8:])), uint64(order.Uint32(entry[12:]))
		if wide {
			offset, length = order.Uint64(entry[8:]), order.Uint64(entry[16:])
		}
		if err := file.holds("part for "+goarch, offset, length); err != nil {
			return err
		}
		part := io.NewSectionReader(file.reader, int64(offset), int64(length))
		return inspectMachO(image{part, length}, goarch)
	}
	return wrongProcessor(strings.Join(found, " and "), goarch)
}

func inspectMachO(file image, goarch string) error {
	header, err := file.bytes("Mach-O header", 0, machoHeader32)
	if err != nil {
		return err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if header[0] == 0xfe {
		order = binary.BigEndian
	}
	if processor := macho.Cpu(order.Uint32(header[4:])); processor != machoProcessors[goarch] {
		return wrongProcessor(machoProcessor(processor), goarch)
	}
	kind := macho.Type(order.Uint32(header[12:]))
	if kind != macho.TypeDylib && kind != macho.TypeBundle {
		return fmt.Errorf("not a shared library: its Mach-O type is %v", kind)
	}
	start := uint64(machoHeader32)
	if order.Uint32(header) == macho.Magic64 {
		start = machoHeader64
	}
	count, length := order.Uint32(header[16:]), uint64(order.Uint32(header[20:]))
	if length > machoCommandsMax {
		return fmt.Errorf("its load commands take %d bytes, more than any library's", length)
	}
	commands, err := file.bytes("load commands", start, length)
	if err != nil {
		return err
	}
	for i := range count {
		if len(commands) < 8 {
			return fmt.Errorf("its load commands end after %d of %d", i, count)
		}
		size := order.Uint32(commands[4:])
		if size < 8 || uint64(size) > uint64(len(commands)) {
			return fmt.Errorf("its load command %d claims %d bytes of %d", i, size, len(commands))
		}
		if err := inspectCommand(file, order, commands[:size]); err != nil {
			return fmt.Errorf("its load command %d: %w", i, err)
		}
		commands = commands[size:]
	}
	return nil
}

// inspectCommand wants the segment that a load command tells of inside of the file.
func inspectCommand(file image, order binary.ByteOrder, command []byte) error {
	var offset, size uint64
	switch kind := macho.LoadCmd(order.Uint32(command)); {
	case kind == macho.LoadCmdSegment && len(command) >= 40:
		offset, size = uint64(order.Uint32(command[32:])), uint64(order.Uint32(command[36:]))
	case kind == macho.LoadCmdSegment64 && len(command) >= 56:
		offset, size = order.Uint64(command[40:]), order.Uint64(command[48:])
	case kind == macho.LoadCmdSegment, kind == macho.LoadCmdSegment64:
		return fmt.Errorf("a segment in only %d bytes", len(command))
	default:
		return nil
	}
	return file.holds("segment "+string(bytes.TrimRight(command[8:24], "\x00")), offset, size)
}

// machoProcessor is Go's name of a processor, or its number where Go has none.
func machoProcessor(processor macho.Cpu) string {
	for goarch, known := range machoProcessors {
		if known == processor {
			return goarch
		}
	}
	return fmt.Sprintf("processor %#x", uint32(processor))
}
