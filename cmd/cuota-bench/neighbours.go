package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processors holds the work of the machine's processors up to an instant, and this
// program's part of it, in ticks of the system's clock.
type processors struct{ busy, idle, own float64 }

// ticksPerSecond is the unit of /proc/stat on every Linux in use.
const ticksPerSecond = 100

// lookAtProcessors reads /proc/stat. It is false where there is none.
func lookAtProcessors() (processors, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return processors{}, false
	}
	first, _, _ := strings.Cut(string(text), "\n")
	// The fields are user nice system idle iowait irq softirq steal; the others are part
	// of user.
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

// takenByOthers is the share of the CPU time, from 0 to 1, that other programs used
// between two looks.
func takenByOthers(before, after processors) float64 {
	all := after.busy + after.idle - before.busy - before.idle
	if all <= 0 {
		return 0
	}
	return max(0, (after.busy-before.busy)-(after.own-before.own)) / all
}

// childrenCPU is the CPU time of the client processes that have ended.
func childrenCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		panic("getrusage: " + err.Error()) // it fails only for bad arguments
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
