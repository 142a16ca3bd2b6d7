package platform

import (
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
)

var peMachines = map[string]uint16{
	"386":   pe.IMAGE_FILE_MACHINE_I386,
	"amd64": pe.IMAGE_FILE_MACHINE_AMD64,
	"arm":   pe.IMAGE_FILE_MACHINE_ARMNT,
	"arm64": pe.IMAGE_FILE_MACHINE_ARM64,
}

// Sizes in bytes of what follows the signature, and where the headers begin.
const (
	peSignatureAt  = 0x3c
	peFileHeader   = 20
	peSection      = 40
	peOptional32   = 0x10b
	peOptional64   = 0x20b
	peRawSizeAt    = 16
	peRawPointerAt = 20
)

func inspectPE(file image, goarch string) error {
	order := binary.LittleEndian
	stub, err := file.bytes("DOS header", 0, peSignatureAt+4)
	if err != nil {
		return err
	}
	at := uint64(order.Uint32(stub[peSignatureAt:]))
	header, err := file.bytes("PE header", at, 4+peFileHeader)
	if err != nil {
		return err
	}
	if string(header[:4]) != "PE\x00\x00" {
		return errors.New("a DOS program, not a Windows library")
	}
	header = header[4:]
	if machine := order.Uint16(header); machine != peMachines[goarch] {
		return wrongProcessor(peProcessor(machine), goarch)
	}
	if order.Uint16(header[18:])&pe.IMAGE_FILE_DLL == 0 {
		return errors.New("not a shared library but a program")
	}
	at += 4 + peFileHeader
	optional := uint64(order.Uint16(header[16:]))
	magic, err := file.bytes("optional header", at, max(optional, 2))
	if err != nil {
		return err
	}
	if kind := order.Uint16(magic); kind != peOptional32 && kind != peOptional64 {
		return fmt.Errorf("its optional header is of the unknown kind %#x", kind)
	}
	sections, err := file.table("section table", at+optional, int(order.Uint16(header[2:])), peSection)
	if err != nil {
		return err
	}
	if err := inspectSymbols(file, header); err != nil {
		return err
	}
	for i, section := range sections {
		offset, size := order.Uint32(section[peRawPointerAt:]), order.Uint32(section[peRawSizeAt:])
		if offset == 0 { // uninitialized data takes no place in the file
			continue
		}
		if err := file.holds(fmt.Sprintf("section %d", i), uint64(offset), uint64(size)); err != nil {
			return err
		}
	}
	return nil
}

// inspectSymbols wants the symbols inside of the file, with the names behind them. The loader has
// no use for them, but linkers write them last, so they tell of a cut that spared the sections.
func inspectSymbols(file image, header []byte) error {
	offset, count := uint64(binary.LittleEndian.Uint32(header[8:])), uint64(binary.LittleEndian.Uint32(header[12:]))
	if offset == 0 {
		return nil
	}
	end := offset + count*pe.COFFSymbolSize
	if err := file.holds("symbol table", offset, end-offset); err != nil {
		return err
	}
	length, err := file.bytes("length of names", end, 4)
	if err != nil {
		return err
	}
	return file.holds("table of names", end, uint64(binary.LittleEndian.Uint32(length)))
}

// peProcessor is Go's name of a machine, or its number where Go has none.
func peProcessor(machine uint16) string {
	for goarch, known := range peMachines {
		if known == machine {
			return goarch
		}
	}
	return fmt.Sprintf("machine %#x", machine)
}
