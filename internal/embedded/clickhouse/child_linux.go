package clickhouse

import (
	"os/exec"
	"syscall"
)

// bindToParent gives a child a group of its own, and has the kernel end the child with
// the thread that starts it.
func bindToParent(child *exec.Cmd) {
	ownGroup(child)
	child.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
