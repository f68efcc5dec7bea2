//go:build !linux

package clickhouse

import (
	"os/exec"
	"syscall"
)

// confine does nothing: the engine's library exists for Linux alone, and an
// installed ClickHouse keeps to its grants.
func confine(string, string) error { return nil }

// bindToParent gives a child a group of its own, so that Ctrl-C in a terminal
// reaches this process alone.
func bindToParent(child *exec.Cmd) { ownGroup(child) }

// ownGroup gives a child a group of its own.
func ownGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
