package firststart

import (
	"slices"
	"strings"
	"sync"

	"cuota/cmd/cuota/output"
)

// The steps of a first start, in their order.
const (
	stepFiles = "files" // the files of the market are read and published to Kafka
	stepFacts = "facts" // the projector stores the last of their rows
	StepBatch = "batch" // the first batch is built
	StepServe = "serve" // the API reads the batch into memory
)

// Step says how far one step of a first start is.
type Step struct {
	Name     string // stepFiles, stepFacts, stepBatch or stepServe
	Begun    bool
	Done     bool
	Percent  int    // of the step's work, 0 to 100; -1 if it is not known
	Files    int    // files that are published; only of stepFiles, as the next two
	OfFiles  int    // files to publish
	Rows     uint64 // rows that are published or rejected
	Messages int64  // messages in Kafka that are not stored yet; only of stepFacts
}

// Steps holds the steps of a first start as they are now, for a page that people see
// until the first batch is there. Several goroutines may use it at once.
type Steps struct {
	mu    sync.Mutex
	steps []Step
}

// NewSteps returns the steps of a start that ingests a market.
func NewSteps() *Steps {
	s := &Steps{}
	for _, name := range []string{stepFiles, stepFacts, StepBatch, StepServe} {
		s.steps = append(s.steps, Step{Name: name, Percent: -1})
	}
	return s
}

// List returns a copy of the steps. It is empty if s is nil, which means that this start
// ingests no market.
func (s *Steps) List() []Step {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.steps)
}

// at changes the step of that name, and begins it. The steps before it are done then.
func (s *Steps) at(name string, change func(*Step)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.steps {
		step := &s.steps[i]
		if step.Name == name {
			step.Begun = true
			change(step)
			return
		}
		step.end()
	}
}

// Begin begins a step of which nothing more is known.
func (s *Steps) Begin(name string) { s.at(name, func(*Step) {}) }

// Storing notes how many messages are not stored yet.
func (s *Steps) Storing(left int64) {
	s.at(stepFacts, func(step *Step) { step.Messages = left })
}

// Building takes from a line of progress how much of the batch is built.
func (s *Steps) Building(l output.Line) {
	if strings.HasPrefix(l.Stage, output.BuildingStage) {
		s.at(StepBatch, func(step *Step) { step.Percent = int(l.Value) })
	}
}

// End ends all steps. It does nothing if s is nil.
func (s *Steps) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.steps {
		s.steps[i].end()
	}
}

func (s *Step) end() { s.Begun, s.Done, s.Percent, s.Messages = true, true, 100, 0 }
