package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryOf reads a line of /proc/PID/status, in bytes; 0 once the process has ended.
func memoryOf(pid int, line string) uint64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(text), "\n"+line+":")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseUint(fields[0], 10, 64)
	return kib << 10
}

func virtualMemory(pid int) uint64 { return memoryOf(pid, "VmSize") }

// residentMemory is the resident memory of a process, in bytes.
func residentMemory(pid int) uint64 { return memoryOf(pid, "VmRSS") }

// descriptors is the number of open files and connections of a process.
func descriptors(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

// diskUse is the total size of the files in a directory, in bytes.
func diskUse(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was deleted meanwhile
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}
