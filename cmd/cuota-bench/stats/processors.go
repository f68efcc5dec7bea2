package stats

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Processors holds the work of the machine's processors up to an instant, and this
// program's part of it, in ticks of the system's clock.
type Processors struct{ busy, idle, own float64 }

// LookAtProcessors reads /proc/stat. own is the CPU time of this process and its engine so
// far; that of its child processes that have ended is added. It is false where there is
// no /proc/stat.
func LookAtProcessors(own time.Duration) (Processors, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Processors{}, false
	}
	first, _, _ := strings.Cut(string(text), "\n")
	// The fields are user nice system idle iowait irq softirq steal; the others are part
	// of user.
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return Processors{}, false
	}
	var p Processors
	for i, field := range fields[1:9] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return Processors{}, false
		}
		if i == 3 || i == 4 {
			p.idle += ticks
		} else {
			p.busy += ticks
		}
	}
	p.own = ticksPerSecond * (own + usedBy(syscall.RUSAGE_CHILDREN)).Seconds()
	return p, true
}

// TakenByOthers is the share of the CPU time, from 0 to 1, that other programs used
// between two looks.
func TakenByOthers(before, after Processors) float64 {
	all := after.busy + after.idle - before.busy - before.idle
	if all <= 0 {
		return 0
	}
	return max(0, (after.busy-before.busy)-(after.own-before.own)) / all
}
