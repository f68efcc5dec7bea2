package stats

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
)

// Profile records the CPU profile of one timed piece of work, and what was allocated up
// to its end. Only the first piece that is timed while Armed is true is recorded.
type Profile struct {
	CPUPath, MemPath string // files to write; empty: none
	Armed            bool   // record the next timed work

	cpu   *os.File // open while it is recorded
	taken bool
}

// Start begins to record if the profile is armed.
func (p *Profile) Start() error {
	if !p.Armed || p.taken || p.CPUPath == "" {
		return nil
	}
	file, err := os.Create(p.CPUPath)
	if err != nil {
		return fmt.Errorf("CPU profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(fmt.Errorf("CPU profile: %w", err), file.Close())
	}
	p.cpu = file
	return nil
}

// Stop ends what Start began and writes the profiles.
func (p *Profile) Stop() error {
	if !p.Armed || p.taken {
		return nil
	}
	p.taken = true
	return errors.Join(p.Abort(), p.writeAllocations())
}

// Abort ends a recording without the memory profile.
func (p *Profile) Abort() error {
	if p.cpu == nil {
		return nil
	}
	pprof.StopCPUProfile()
	err := p.cpu.Close()
	p.cpu = nil
	return err
}

func (p *Profile) writeAllocations() error {
	if p.MemPath == "" {
		return nil
	}
	file, err := os.Create(p.MemPath)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
}

// Check fails if profiles were wanted and nothing was profiled.
func (p *Profile) Check() error {
	if !p.taken && (p.CPUPath != "" || p.MemPath != "") {
		return errors.New("nothing was profiled")
	}
	return nil
}
