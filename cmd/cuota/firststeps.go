package main

import (
	"slices"
	"strings"
	"sync"
)

// The steps of a first start, in their order.
const (
	stepFiles = "files" // the files of the market are read and published to Kafka
	stepFacts = "facts" // the projector stores the last of their rows
	stepBatch = "batch" // the first batch is built
	stepServe = "serve" // the API reads the batch into memory
)

// firstStep says how far one step of a first start is.
type firstStep struct {
	Name     string // stepFiles, stepFacts, stepBatch or stepServe
	Begun    bool
	Done     bool
	Percent  int    // of the step's work, 0 to 100; -1 if it is not known
	Files    int    // files that are published; only of stepFiles, as the next two
	OfFiles  int    // files to publish
	Rows     uint64 // rows that are published or rejected
	Messages int64  // messages in Kafka that are not stored yet; only of stepFacts
}

// firstSteps holds the steps of a first start as they are now, for a page that people see
// until the first batch is there. Several goroutines may use it at once.
type firstSteps struct {
	mu    sync.Mutex
	steps []firstStep
}

// newFirstSteps returns the steps of a start that ingests a market.
func newFirstSteps() *firstSteps {
	s := &firstSteps{}
	for _, name := range []string{stepFiles, stepFacts, stepBatch, stepServe} {
		s.steps = append(s.steps, firstStep{Name: name, Percent: -1})
	}
	return s
}

// list returns a copy of the steps. It is empty if s is nil, which means that this start
// ingests no market.
func (s *firstSteps) list() []firstStep {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.steps)
}

// at changes the step of that name, and begins it. The steps before it are done then.
func (s *firstSteps) at(name string, change func(*firstStep)) {
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

// begin begins a step of which nothing more is known.
func (s *firstSteps) begin(name string) { s.at(name, func(*firstStep) {}) }

// storing notes how many messages are not stored yet.
func (s *firstSteps) storing(left int64) {
	s.at(stepFacts, func(step *firstStep) { step.Messages = left })
}

// building takes from a line of progress how much of the batch is built.
func (s *firstSteps) building(l line) {
	if strings.HasPrefix(l.stage, buildingStage) {
		s.at(stepBatch, func(step *firstStep) { step.Percent = int(l.value) })
	}
}

// end ends all steps. It does nothing if s is nil.
func (s *firstSteps) end() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.steps {
		s.steps[i].end()
	}
}

func (s *firstStep) end() { s.Begun, s.Done, s.Percent, s.Messages = true, true, 100, 0 }
