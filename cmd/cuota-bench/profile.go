package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
)

// profile records the CPU profile of one timed piece of work: the product's side of the
// first selected figure, in its last round.
type profile struct {
	cpuPath, memPath string
	armed            bool     // record the next timed work
	cpu              *os.File // open while it is recorded
	taken            bool
}

func (p *profile) start() error {
	if !p.armed || p.taken || p.cpuPath == "" {
		return nil
	}
	file, err := os.Create(p.cpuPath)
	if err != nil {
		return fmt.Errorf("CPU profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(fmt.Errorf("CPU profile: %w", err), file.Close())
	}
	p.cpu = file
	return nil
}

func (p *profile) stop() error {
	if !p.armed || p.taken {
		return nil
	}
	p.taken = true
	return errors.Join(p.stopCPU(), p.writeAllocations())
}

func (p *profile) stopCPU() error {
	if p.cpu == nil {
		return nil
	}
	pprof.StopCPUProfile()
	err := p.cpu.Close()
	p.cpu = nil
	return err
}

func (p *profile) writeAllocations() error {
	if p.memPath == "" {
		return nil
	}
	return writeFile(p.memPath, func(w io.Writer) error { return pprof.Lookup("allocs").WriteTo(w, 0) })
}

// close reports when nothing could be profiled.
func (p *profile) close() error {
	if !p.taken && (p.cpuPath != "" || p.memPath != "") {
		return errors.New("nothing was profiled")
	}
	return nil
}

// writeFile creates a file with what fill writes.
func writeFile(path string, fill func(io.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return fill(file)
}
