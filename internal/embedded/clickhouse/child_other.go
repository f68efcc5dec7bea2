//go:build !linux

package clickhouse

import "os/exec"

// bindToParent gives a child a group of its own. The kernel does not end the child here.
func bindToParent(child *exec.Cmd) { ownGroup(child) }
