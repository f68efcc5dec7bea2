//go:build !linux

package clickhouse

// machineMemory is the physical memory in bytes, 0 when unknown.
func machineMemory() int64 { return 0 }
