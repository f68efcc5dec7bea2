//go:build !linux

package clickhouse

// machineMemory returns 0: the memory is unknown on this system.
func machineMemory() int64 { return 0 }
