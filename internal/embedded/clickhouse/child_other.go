//go:build !linux

package clickhouse

import "os/exec"

// bindToParent puts a child into its own process group. On this system the kernel does not kill
// the child when its parent ends.
func bindToParent(child *exec.Cmd) { ownGroup(child) }
