//go:build !linux

package clickhouse

import (
	"os"
	"os/exec"
	"syscall"
)

// confine does nothing: the engine's library exists for Linux alone, and an
// installed ClickHouse keeps to its grants.
func confine(string, string) error { return nil }

// unconfined has nothing to tell of an installed ClickHouse.
func unconfined() string { return "" }

// thisProgram is what to start for another process of this program.
func thisProgram() (string, error) { return os.Executable() }

// bindToParent gives a child a group of its own, so that Ctrl-C in a terminal
// reaches this process alone.
func bindToParent(child *exec.Cmd) { ownGroup(child) }

// ownGroup gives a child a group of its own.
func ownGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
