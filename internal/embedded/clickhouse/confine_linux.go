package clickhouse

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The library runs as clickhouse-local does, which takes the function file() for
// harmless: no grant covers it. So the kernel has to keep the engine from the files
// of others (Landlock with the right to move files, Linux 5.19). Without it the engine
// runs unconfined: the grants still hold, but file() reads what the user who runs the
// program may read (docs/decisions/0030).

// The engine writes below its directory, and reads what a program needs.
const (
	mayRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// Rights of Landlock's first version.
	firstRights = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
)

// readable are the files beside its own directory that the engine reads. One that
// a machine lacks is left out.
var readable = []string{
	"/lib", "/lib64", "/usr/lib", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/loadavg",
	"/sys/fs/cgroup", "/sys/devices/system", "/dev/zero", "/dev/urandom", "/dev/random",
}

// neededLandlock is the first version with the right to move files. The one before
// forbids it altogether.
const neededLandlock = 2

// landlock is the version of Landlock that the kernel has, 0 without it.
func landlock() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// unconfined tells why the kernel can't confine the engine, "" if it can.
func unconfined() string {
	if abi := landlock(); abi < neededLandlock {
		return fmt.Sprintf("this kernel has version %d of Landlock, 0 meaning none; %d is needed, of Linux 5.19", abi, neededLandlock)
	}
	return ""
}

// ownImage is the program that this process runs, also when the file of that name has
// been replaced since.
const ownImage = "/proc/self/exe"

// thisProgram is what to start for another process of this program.
func thisProgram() (string, error) { return ownImage, nil }

// confine has the kernel confine this process to the directory of the
// configuration, and starts the program anew: only then are all of its threads
// confined. It returns without an error where the kernel can't.
func confine(library, config string) error {
	abi := landlock()
	if abi < neededLandlock {
		return nil
	}
	rights := uint64(firstRights | unix.LANDLOCK_ACCESS_FS_REFER) // a table that is dropped is moved between directories
	if abi >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attributes := unix.LandlockRulesetAttr{Handled_access_fs: rights}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)), unsafe.Sizeof(attributes), 0)
	if errno != 0 {
		return fmt.Errorf("make a Landlock ruleset: %w", errno)
	}
	defer func() { _ = unix.Close(int(ruleset)) }()
	allow := func(path string, rights uint64) error {
		file, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			return nil
		} else if err != nil {
			return fmt.Errorf("open %s: %w", path, err)
		}
		defer func() { _ = unix.Close(file) }()
		var stat unix.Stat_t
		if err := unix.Fstat(file, &stat); err != nil {
			return fmt.Errorf("look at %s: %w", path, err)
		}
		if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			rights &= unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
		}
		beneath := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(file)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0); errno != 0 {
			return fmt.Errorf("allow %s: %w", path, errno)
		}
		return nil
	}
	if err := allow(filepath.Dir(config), rights&^unix.LANDLOCK_ACCESS_FS_EXECUTE); err != nil {
		return err
	}
	if err := allow("/dev/null", rights); err != nil {
		return err
	}
	for _, path := range append(readable, library, ownImage) {
		if err := allow(path, mayRead); err != nil {
			return err
		}
	}
	runtime.LockOSThread() // what follows concerns this thread, which becomes the new program
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("restrict the process: %w", errno)
	}
	return unix.Exec(ownImage, os.Args, append(os.Environ(), confinedVariable+"=1"))
}
