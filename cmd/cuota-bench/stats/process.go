package stats

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// OwnCPU is the CPU time of this process.
func OwnCPU() time.Duration { return usedBy(syscall.RUSAGE_SELF) }

// usedBy is the CPU time of this process, or of its child processes that have ended.
func usedBy(who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		panic("getrusage: " + err.Error()) // it fails only for bad arguments
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// ticksPerSecond is the unit of /proc/stat on every Linux in use.
const ticksPerSecond = 100

// CPUOf is the CPU time of a process; 0 where the system does not state it.
func CPUOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// After the name in parentheses come the state, ten numbers, and then user and
	// system time.
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticksPerSecond
}

// StatusMB returns a field of a process's status in megabytes, such as VmRSS, which the
// system states in kilobytes. It fails where there is no /proc.
func StatusMB(pid int, field string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("look at the memory of a process: %w", err)
	}
	_, rest, found := strings.Cut(string(text), "\n"+field+":")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, fmt.Errorf("the system does not tell %s of a process", field)
	}
	kilobytes, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		return 0, fmt.Errorf("read %s of a process: %w", field, err)
	}
	return kilobytes / 1024, nil
}

// WithChildren returns the ids of a process and of the processes that it started.
func WithChildren(pid int) []int {
	all := []int{pid}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return all
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}
