package clickhouse

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// machineMemory is the memory in bytes that this process may use: the
// machine's, or less in a container with a limit. 0 when unknown.
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
