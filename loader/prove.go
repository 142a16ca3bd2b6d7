package loader

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/native"
)

// prove fills the table from a library that the system has loaded, and tells what it could make
// sure of. Nothing but the library's major version is asked before that version is known to be this
// package's.
func prove(handle uintptr) (*abi.Library, Origin, error) {
	origin := Origin{Kind: KindNative}
	addresses, lacking := resolve(handle)
	if err := proveVersion(handle, addresses, &origin); err != nil {
		return nil, origin, err
	}
	if len(lacking) > 0 {
		return nil, origin, refused(errors.ErrSymbolMissing, "it lacks %d of the %d symbols that libuform %d must export: %s",
			len(lacking), required(), abi.VersionMajor, strings.Join(lacking, ", "))
	}
	callback, err := progressCallback()
	if err != nil {
		return nil, origin, err
	}
	table := &abi.Library{}
	register(table, handle, addresses)
	if native.Direct {
		direct(table, addresses)
	}
	table.ProgressCallback = abi.Progress(callback)
	nameVersion(table, &origin)
	if err := proveLayout(table, &origin); err != nil {
		return nil, origin, err
	}
	if err := proveArena(table, &origin); err != nil {
		return nil, origin, err
	}
	return table, origin, nil
}

// resolve finds the addresses of [abi.Symbols], zero for what the library does not export, and the
// required ones that it lacks. All of them are looked up before the first is called.
func resolve(handle uintptr) (addresses []uintptr, lacking []string) {
	for _, symbol := range abi.Symbols {
		address, err := native.Symbol(handle, symbol.Name)
		if err != nil && !symbol.Optional {
			lacking = append(lacking, symbol.Name)
		}
		addresses = append(addresses, address)
	}
	return addresses, lacking
}

// required is how many symbols a library cannot do without.
func required() (count int) {
	for _, symbol := range abi.Symbols {
		if !symbol.Optional {
			count++
		}
	}
	return count
}

// proveVersion wants this package's major version of a library that can tell its own.
func proveVersion(handle uintptr, addresses []uintptr, origin *Origin) error {
	const name = "uform_version_major"
	index := slices.IndexFunc(abi.Symbols, func(symbol abi.Symbol) bool { return symbol.Name == name })
	if addresses[index] == 0 {
		origin.Unproven = append(origin.Unproven, "version (no "+name+")")
		return nil
	}
	var version func() int32
	native.RegisterLibFunc(&version, handle, name)
	if major := version(); major != abi.VersionMajor {
		return refused(errors.ErrLibraryMissing, "found major version %d, want %d", major, abi.VersionMajor)
	}
	origin.Proven = append(origin.Proven, "version")
	return nil
}

// nameVersion tells as much of the version as the library does.
func nameVersion(table *abi.Library, origin *Origin) {
	var parts []string
	for _, part := range []func() int32{table.VersionMajor, table.VersionMinor, table.VersionPatch} {
		if part == nil {
			break
		}
		parts = append(parts, fmt.Sprint(part()))
	}
	origin.Version = strings.Join(parts, ".")
}

// proveLayout compares every size and offset of the Go mirrors with those that the library was
// compiled with.
func proveLayout(table *abi.Library, origin *Origin) error {
	if table.LayoutOf == nil {
		origin.Unproven = append(origin.Unproven, "layout (no uform_layout_of)")
		return nil
	}
	var first string
	var differing []string
	facts := abi.Measured()
	for _, fact := range facts {
		name := fact.Name()
		found, want := table.LayoutOf(name), fact.Bytes()
		if found == want {
			continue
		}
		differing = append(differing, name)
		if first == "" {
			first = difference(name, fact.Field == "", found, want)
		}
	}
	if first != "" {
		return refused(errors.ErrLibraryMissing, "its layout differs: %s; of %d sizes and offsets these differ: %s",
			first, len(facts), strings.Join(differing, ", "))
	}
	origin.Proven = append(origin.Proven, fmt.Sprintf("layout (%d sizes and offsets)", len(facts)))
	return nil
}

// difference says how a fact differs in the library from the Go mirrors.
func difference(name string, size bool, found, want uintptr) string {
	switch {
	case found == ^uintptr(0):
		return "it does not know " + name
	case size:
		return fmt.Sprintf("%s takes %d bytes, want %d", name, found, want)
	}
	return fmt.Sprintf("%s is at byte %d, want %d", name, found, want)
}

// proveArena makes, describes and frees an arena of the calling thread: the cheapest calls that
// read and write argument structs. Impossible values are planted in every output, so that a library
// which writes nothing is not taken at its silence.
func proveArena(table *abi.Library, origin *Origin) error {
	runtime.LockOSThread() // one thread makes, describes and frees it
	defer runtime.UnlockOSThread()

	box := new(struct { // one object of the heap, which is what C is given
		arena       abi.Arena
		outcome     abi.Outcome
		description abi.ArenaDescription
		init        abi.ArenaInit
		describe    abi.ArenaDescribe
	})
	box.outcome.Status = abi.StatusUnknown
	box.init = abi.ArenaInit{Arena: &box.arena, Outcome: &box.outcome}
	table.ArenaInit(&box.init)
	if err := finished(table, "uform_arena_init", &box.outcome); err != nil {
		return err
	}
	if box.arena == 0 {
		return refused(errors.ErrLibraryMissing, "uform_arena_init succeeded without an arena")
	}
	defer table.ArenaFree(box.arena)

	box.outcome = abi.Outcome{Status: abi.StatusUnknown}
	box.description = abi.ArenaDescription{Residency: -1, Device: -2}
	box.describe = abi.ArenaDescribe{Arena: box.arena, Outcome: &box.outcome, Description: &box.description}
	table.ArenaDescribe(&box.describe)
	if err := finished(table, "uform_arena_describe", &box.outcome); err != nil {
		return err
	}
	if want := (abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}); box.description != want {
		return refused(errors.ErrLibraryMissing, "uform_arena_describe answered residency %d on device %d for an arena of the calling thread, want %d on %d",
			box.description.Residency, box.description.Device, want.Residency, want.Device)
	}
	origin.Proven = append(origin.Proven, "arena")
	return nil
}

// finished wants the success of a call whose outcome was planted unknown.
func finished(table *abi.Library, name string, outcome *abi.Outcome) error {
	if outcome.Status == abi.StatusDeferred {
		table.OutcomeWait(outcome)
	}
	switch outcome.Status {
	case abi.StatusSuccess:
		return nil
	case abi.StatusUnknown:
		return refused(errors.ErrLibraryMissing, "%s left its outcome unknown: it wrote none, or not where the header has it", name)
	}
	return refused(errors.ErrLibraryMissing, "%s failed on the calling thread: %w", name, errors.Of(name, outcome))
}
