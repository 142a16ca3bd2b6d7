package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// formats are the first bytes of programs for another processor, by which the kernel selects an
// emulator: the ELF magic, class, byte order, kind (executable or position independent) and
// machine.
var formats = map[string]struct{ magic, mask string }{
	"qemu-arm": {
		`\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00`,
		`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`,
	},
	"qemu-aarch64": {
		`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`,
		`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`,
	},
	"qemu-riscv64": {
		`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00`,
		`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`,
	},
}

// binaryFormats is the folder where formats are registered with the kernel.
const binaryFormats = "/proc/sys/fs/binfmt_misc"

// inNamespace starts a command in user and mount namespaces of its own. Mounts and registrations in
// it are visible to no other process and end with its last process.
func inNamespace(command *exec.Cmd) {
	everybody := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1 << 16}}
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:                 syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings:                everybody,
		GidMappings:                everybody,
		GidMappingsEnableSetgroups: true,
	}
}

// emulated runs a command while the kernel starts programs for another processor like its own, so
// that tests may start themselves.
func emulated(emulator string, command []string) error {
	format, known := formats[emulator]
	if !known {
		return fmt.Errorf("no format for %s", emulator)
	}
	path, err := exec.LookPath(emulator)
	if err != nil {
		return err
	}
	if err := syscall.Mount("binfmt_misc", binaryFormats, "binfmt_misc", 0, ""); err != nil {
		return fmt.Errorf("mount %s in a namespace, which takes Linux 6.7 and the superuser: %w", binaryFormats, err)
	}
	rule := fmt.Sprintf(":%s:M::%s:%s:%s:CF", emulator, format.magic, format.mask, path)
	if err := os.WriteFile(filepath.Join(binaryFormats, "register"), []byte(rule), 0); err != nil {
		return fmt.Errorf("register %s: %w", emulator, err)
	}
	return replace(command)
}

// rooted runs a command in a root that has only the kernel's own folders and the named files, each
// at its path. The root is made over an empty folder, for this command alone.
func rooted(root, shown string, command []string) error {
	working, err := os.Getwd()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // a mount namespace belongs to a thread until the command has it
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return fmt.Errorf("make a namespace for mounts, which takes the superuser: %w", err)
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("none", root, "tmpfs", 0, ""); err != nil {
		return err
	}
	for _, path := range append([]string{"/proc", "/dev"}, filepath.SplitList(shown)...) {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		inside := filepath.Join(root, path)
		if info.IsDir() {
			err = os.MkdirAll(inside, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(inside), 0o755); err == nil {
			err = os.WriteFile(inside, nil, 0o755)
		}
		if err == nil {
			err = syscall.Mount(path, inside, "", syscall.MS_BIND|syscall.MS_REC, "")
		}
		if err != nil {
			return fmt.Errorf("show %s: %w", path, err)
		}
	}
	if err := syscall.Chroot(root); err != nil {
		return err
	}
	if err := os.Chdir(working); err != nil {
		return err
	}
	return replace(command)
}

// replace replaces this process by the command.
func replace(command []string) error {
	path := command[0]
	if !strings.Contains(path, "/") {
		found, err := exec.LookPath(path)
		if err != nil {
			return err
		}
		path = found
	}
	return syscall.Exec(path, command, os.Environ())
}
