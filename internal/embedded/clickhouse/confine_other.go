//go:build !linux

package clickhouse

import "os"

// confine does nothing: the engine's library exists for Linux alone, and an
// installed ClickHouse keeps to its grants.
func confine(string, string) error { return nil }

// unconfined has nothing to tell of an installed ClickHouse.
func unconfined() string { return "" }

// thisProgram is what to start for another process of this program.
func thisProgram() (string, error) { return os.Executable() }
