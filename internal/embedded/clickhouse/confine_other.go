//go:build !linux

package clickhouse

import "os"

// confine does nothing: the engine's library exists for Linux only, and an installed ClickHouse
// is restricted by its grants.
func confine(string, string) error { return nil }

// unconfined returns "": an installed ClickHouse is restricted by its grants.
func unconfined() string { return "" }

// thisProgram returns the path with which to start this program again.
func thisProgram() (string, error) { return os.Executable() }

// onMainThread reports whether this goroutine runs in the first thread of the process. It matters only
// where the kernel confines the engine.
func onMainThread() bool { return false }
