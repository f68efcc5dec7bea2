package clickhouse

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// machineMemory returns the memory that this process may use, in bytes: the memory of the
// machine, or the limit of its container if that is less. It is 0 if unknown.
func machineMemory() int64 {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0
	}
	memory := int64(info.Totalram) * int64(info.Unit)
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
			memory = min(memory, limit)
		}
	}
	return memory
}
