//go:build !linux

package clickhouse

// machineMemory gives 0: the memory is unknown on this system.
func machineMemory() int64 { return 0 }
