package firststart

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/output"
)

// The steps of a first start, in their order.
const (
	stepFiles = "files" // the files of the market are read and published to Kafka
	StepFacts = "facts" // the projector stores the last of their rows
	StepBatch = "batch" // the first batch is built
	StepServe = "serve" // the API reads the batch into memory
)

// Step says how far one step of a first start is.
type Step struct {
	Name     string // stepFiles, StepFacts, stepBatch or stepServe
	Begun    bool
	Done     bool
	Percent  int    // of the step's work, 0 to 100; -1 if it is not known
	Files    int    // files that are published; only of stepFiles, as the next two
	OfFiles  int    // files to publish
	Rows     uint64 // rows that are published or rejected
	Messages int64  // messages in Kafka that are not stored yet; only of StepFacts

	begun time.Time // of the clock of this machine; zero before the step begins
	took  time.Duration
}

// Steps holds the steps of a first start as they are now, for a page that people see
// until the first batch is there. Several goroutines may use it at once.
type Steps struct {
	mu    sync.Mutex
	steps []Step
	// ended says that all steps are done, so that the terminal belongs to the log again.
	ended atomic.Bool
}

// NewSteps returns the steps of a start that ingests a market.
func NewSteps() *Steps {
	s := &Steps{}
	for _, name := range []string{stepFiles, StepFacts, StepBatch, StepServe} {
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
			step.begin()
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
	s.at(StepFacts, func(step *Step) { step.Messages = left })
}

// Building takes from a line of progress how much of the batch is built.
func (s *Steps) Building(l output.Line) {
	if strings.HasPrefix(l.Stage, output.BuildingStage) {
		s.at(StepBatch, func(step *Step) { step.Percent = int(l.Value) })
	}
}

// Took returns how long the step took, or has taken until now; 0 before it begins.
func (s *Steps) Took(name string) time.Duration {
	for _, step := range s.List() {
		switch {
		case step.Name != name || !step.Begun:
		case step.Done:
			return step.took
		default:
			return time.Since(step.begun)
		}
	}
	return 0
}

// End ends all steps. It does nothing if s is nil.
func (s *Steps) End() {
	if s == nil {
		return
	}
	defer s.ended.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.steps {
		s.steps[i].end()
	}
}

func (s *Step) begin() {
	if !s.Begun {
		s.Begun, s.begun = true, time.Now()
	}
}

func (s *Step) end() {
	s.begin()
	if !s.Done {
		s.took = time.Since(s.begun)
	}
	s.Done, s.Percent, s.Messages = true, 100, 0
}

// Logs returns the logger of the program and a quieter one for the first start: that of its statements in ClickHouse
// and of the requests that it answers. On a terminal, which shows the steps, both hold back lines until End: the first
// writes only warnings and errors, the second only errors, because the statements of a first batch are slow on many
// machines, and a page that is open waits for the batch with status 503. Elsewhere, and at the level debug, both are
// log.
func (s *Steps) Logs(log zerolog.Logger) (program, quieter zerolog.Logger) {
	if s == nil || !output.OnTerminal(os.Stderr) {
		return log, log
	}
	return s.quiet(log, zerolog.WarnLevel), s.quiet(log, zerolog.ErrorLevel)
}

// quiet returns log without the lines below the level until End.
func (s *Steps) quiet(log zerolog.Logger, least zerolog.Level) zerolog.Logger {
	if log.GetLevel() < zerolog.InfoLevel {
		return log
	}
	return log.Hook(zerolog.HookFunc(func(event *zerolog.Event, level zerolog.Level, _ string) {
		if level < least && !s.ended.Load() {
			event.Discard()
		}
	}))
}

// NewProgress returns what shows the work under way: one line on a terminal, and lines of the log elsewhere.
func (s *Steps) NewProgress(log zerolog.Logger) *output.Progress {
	progress := output.ProgressTo(func(text string) { log.Info().Msg(text) })
	if output.OnTerminal(os.Stderr) {
		progress = output.NewProgress()
	}
	progress.Seen = s.Building
	return progress
}

// Report writes a line about a step that has just been done, with the time that it took.
func (s *Steps) Report(out io.Writer, what, step string) { Report(out, what, s.Took(step)) }

// Report writes a line about what has just been done in the first start, and how long it took.
func Report(out io.Writer, what string, took time.Duration) {
	fmt.Fprintf(out, "  %s in %s\n", what, took.Round(10*time.Millisecond))
}
