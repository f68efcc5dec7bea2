package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processors is what the machine's processors and this program's part of them
// have done by an instant, in ticks of the system's clock.
type processors struct{ busy, idle, own float64 }

// ticksPerSecond is the unit of /proc/stat on every Linux in use.
const ticksPerSecond = 100

// lookAtProcessors reads /proc/stat, where there is one.
func lookAtProcessors() (processors, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return processors{}, false
	}
	first, _, _ := strings.Cut(string(text), "\n")
	// user nice system idle iowait irq softirq steal; what follows is part of user.
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return processors{}, false
	}
	var p processors
	for i, field := range fields[1:9] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return processors{}, false
		}
		if i == 3 || i == 4 {
			p.idle += ticks
		} else {
			p.busy += ticks
		}
	}
	p.own = ticksPerSecond * (processCPU() + childrenCPU()).Seconds()
	return p, true
}

// takenByOthers is the part of the processors' time, from 0 to 1, that other
// programs took between two looks.
func takenByOthers(before, after processors) float64 {
	all := after.busy + after.idle - before.busy - before.idle
	if all <= 0 {
		return 0
	}
	return max(0, (after.busy-before.busy)-(after.own-before.own)) / all
}

// childrenCPU is the processor time of the clients that have ended.
func childrenCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		panic("getrusage: " + err.Error()) // it fails for bad arguments alone
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
