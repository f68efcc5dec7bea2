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

// The library runs like clickhouse-local, which considers the function file() harmless, so no
// grant restricts it. Therefore the kernel must keep the engine away from other files (Landlock
// with the right to move files, Linux 5.19). Without it the engine is not confined: the grants
// still apply, but file() can read whatever the user of this program can read
// (docs/decisions/0030).

// The engine may write below its own directory, and read what any program needs.
const (
	mayRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// the rights of Landlock's first version
	firstRights = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
)

// readable are the files outside its own directory that the engine may read. Missing ones are
// skipped.
var readable = []string{
	"/lib", "/lib64", "/usr/lib", "/proc/self/statm", "/proc/self/stat", "/proc/self/status", "/proc/self/cgroup",
	"/proc/self/mountinfo", "/proc/self/limits", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/loadavg",
	"/sys/fs/cgroup", "/sys/devices/system", "/dev/zero", "/dev/urandom", "/dev/random",
}

// neededLandlock is the first version that can allow a process to move files between
// directories. Version 1 always forbids it.
const neededLandlock = 2

// landlock returns the kernel's version of Landlock, or 0 if it has none.
func landlock() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// unconfined returns the reason why the kernel can't confine the engine, or "" if it can.
func unconfined() string {
	if abi := landlock(); abi < neededLandlock {
		return fmt.Sprintf("this kernel has Landlock version %d (0 is none), but version %d, of Linux 5.19, is needed",
			abi, neededLandlock)
	}
	return ""
}

// onMainThread reports whether this goroutine runs in the first thread of the process.
func onMainThread() bool { return unix.Gettid() == os.Getpid() }

// ownImage leads to the program of this process, even if its file was replaced meanwhile.
const ownImage = "/proc/self/exe"

// thisProgram returns the path with which to start this program again.
func thisProgram() (string, error) { return ownImage, nil }

// confine lets the kernel restrict this process to the directory of the configuration, and then
// executes the program again, because only then are all of its threads restricted. It returns
// nil if the kernel can't restrict it. Otherwise it returns only after an error.
func confine(library, config string) error {
	abi := landlock()
	if abi < neededLandlock {
		return nil
	}
	// ClickHouse moves a dropped table to another directory
	rights := uint64(firstRights | unix.LANDLOCK_ACCESS_FS_REFER)
	if abi >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attributes := unix.LandlockRulesetAttr{Handled_access_fs: rights}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)),
		unsafe.Sizeof(attributes), 0)
	if errno != 0 {
		return fmt.Errorf("create a Landlock ruleset: %w", errno)
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
			return fmt.Errorf("read the file mode of %s: %w", path, err)
		}
		if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			rights &= unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
				unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
		}
		beneath := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(file)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH,
			uintptr(unsafe.Pointer(&beneath)), 0, 0, 0); errno != 0 {
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
	runtime.LockOSThread() // the restrictions apply to this thread, which executes the program again
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("restrict the process: %w", errno)
	}
	return unix.Exec(ownImage, os.Args, append(os.Environ(), confinedVariable+"=1"))
}
