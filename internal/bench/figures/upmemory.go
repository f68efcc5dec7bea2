package figures

import (
	"fmt"
	"os"
	"time"

	"cuota/internal/bench/report"
)

// memory is the resident memory of cuota and its engine, in megabytes.
type memory struct {
	now, peak float64 // all pages; peak adds the peaks of both, which may occur at different times
	mapped    float64 // of now: pages of mapped files, most of them of the engine's library
}

// memory reads /proc. It fails where there is none.
func (u *up) memory() (m memory, err error) {
	for _, pid := range report.WithChildren(u.command.Process.Pid) {
		for field, to := range map[string]*float64{"VmRSS": &m.now, "VmHWM": &m.peak, "RssFile": &m.mapped} {
			megabytes, err := report.StatusMB(pid, field)
			if err != nil {
				return memory{}, err
			}
			*to += megabytes
		}
	}
	return m, nil
}

// cpuMillis is the CPU time of cuota and its engine, in milliseconds; 0 where the system
// does not state it.
func (u *up) cpuMillis() float64 {
	var all time.Duration
	for _, pid := range report.WithChildren(u.command.Process.Pid) {
		all += report.CPUOf(pid)
	}
	return 1e3 * all.Seconds()
}

// forgetPeak resets the peaks of memory. Where the system cannot do that, the peaks
// remain those since the start, which are at least as high.
func (u *up) forgetPeak() {
	for _, pid := range report.WithChildren(u.command.Process.Pid) {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	}
}
