// Package health reports the state of the parts of a process. A part has its own loop or its
// own child process, which may end or hang while the rest of the process continues.
package health

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// Part is a part of the process.
type Part struct {
	Name string
	// Alive returns an error if only a restart of the process would help, else nil. The
	// function itself is nil if the part can't fail in this way.
	Alive func() error
	// Ready returns an error if the part can't do its work now, else nil. The function itself
	// is nil if that does not matter to the caller.
	Ready func() error
	// Degraded returns an error if the part does only some of its work now, else nil. The
	// function itself is nil if the part can't fail in this way.
	Degraded func() error
}

// Fault is an error of a part.
type Fault struct {
	Part   string
	Reason error
}

// Alive returns the faults that only a restart of the process would mend.
func Alive(parts []Part) []Fault { return faults(parts, func(p Part) func() error { return p.Alive }) }

// Ready returns the faults because of which parts can't do their work now.
func Ready(parts []Part) []Fault { return faults(parts, func(p Part) func() error { return p.Ready }) }

// Degraded returns the faults because of which parts do only some of their work now.
func Degraded(parts []Part) []Fault {
	return faults(parts, func(p Part) func() error { return p.Degraded })
}

func faults(parts []Part, of func(Part) func() error) []Fault {
	var found []Fault
	for _, part := range parts {
		if ask := of(part); ask != nil {
			if err := ask(); err != nil {
				found = append(found, Fault{part.Name, err})
			}
		}
	}
	return found
}

// Report is the response for an operator. Status is OK, DegradedStatus or Failing: that of the
// worst part.
type Report struct {
	Status string       `json:"status"`
	Parts  []PartReport `json:"parts"`
}

// PartReport describes one part. Status is OK, DegradedStatus or Failing.
type PartReport struct {
	Part   string `json:"part"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// The statuses of a part and of a report.
const (
	OK             = "ok"
	DegradedStatus = "degraded" // some of the work is done
	Failing        = "failing"
)

// Handler answers with a report of all parts, with status 503 if a part is failing. It is for
// operators only, because the reasons may contain host names. ask is Alive or Ready.
func Handler(parts func() []Part, ask func([]Part) []Fault) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked := parts()
		failing, degraded := reasons(ask(asked)), reasons(Degraded(asked))
		report := Report{Status: OK, Parts: []PartReport{}}
		for _, part := range asked {
			reported := PartReport{Part: part.Name, Status: OK}
			if reason, faulty := failing[part.Name]; faulty {
				reported.Status, reported.Reason, report.Status = Failing, reason, Failing
			} else if reason, faulty := degraded[part.Name]; faulty {
				reported.Status, reported.Reason = DegradedStatus, reason
				if report.Status == OK {
					report.Status = DegradedStatus
				}
			}
			report.Parts = append(report.Parts, reported)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if report.Status == Failing {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(report) // an error means that the caller has disconnected
	})
}

// reasons returns the reason of each fault by the name of its part.
func reasons(faults []Fault) map[string]string {
	byPart := make(map[string]string, len(faults))
	for _, fault := range faults {
		byPart[fault.Part] = fault.Reason.Error()
	}
	return byPart
}

// Beat detects a loop that hangs.
type Beat struct {
	most  time.Duration
	since func(time.Time) time.Duration
	last  atomic.Pointer[time.Time] // when the last round began; nil while the loop does not run
}

// NewBeat makes a Beat for a loop whose rounds take at most the duration most. since is
// time.Since, which uses the monotonic clock: setting the machine's clock does not matter.
func NewBeat(most time.Duration, since func(time.Time) time.Duration) *Beat {
	return &Beat{most: most, since: since}
}

// Round notes that the loop begins a round.
func (b *Beat) Round() {
	now := time.Now()
	b.last.Store(&now)
}

// End notes that the loop has ended as intended.
func (b *Beat) End() { b.last.Store(nil) }

// Alive returns an error if the last round began longer ago than the limit of NewBeat.
func (b *Beat) Alive() error {
	last := b.last.Load()
	if last == nil {
		return nil
	}
	if silent := b.since(*last); silent > b.most {
		return fmt.Errorf("its loop has made no progress for %s", silent.Round(time.Second))
	}
	return nil
}
