package clickhouse

import (
	"os/exec"
	"syscall"
)

// bindToParent puts a child into its own process group. The kernel kills the child when the
// thread that starts it ends.
func bindToParent(child *exec.Cmd) {
	ownGroup(child)
	child.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
