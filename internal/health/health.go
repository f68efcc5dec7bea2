// Package health tells how the parts of a process are: those with loops or processes of
// their own, which may end or hang while the rest goes on.
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
	// Alive gives why only a new start of the process would help, nil if none is needed.
	// It is nil where that can't happen.
	Alive func() error
	// Ready gives why the part can't do its work now, nil if it can. It is nil where that
	// does not matter to whoever asks.
	Ready func() error
}

// Fault is what is wrong with a part.
type Fault struct {
	Part   string
	Reason error
}

// Alive gives the faults that only a new start of the process would mend.
func Alive(parts []Part) []Fault { return faults(parts, func(p Part) func() error { return p.Alive }) }

// Ready gives the faults that keep parts from their work.
func Ready(parts []Part) []Fault { return faults(parts, func(p Part) func() error { return p.Ready }) }

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

// Report is what an operator is told. The status is ok or failing.
type Report struct {
	Status string       `json:"status"`
	Parts  []PartReport `json:"parts"`
}

// PartReport is what an operator is told of a part. The status is ok or failing.
type PartReport struct {
	Part   string `json:"part"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

const ok, failing = "ok", "failing"

// Handler answers with a report of all parts, with status 503 if one has a fault. The
// reasons may name hosts: it is for operators alone. ask is Alive or Ready.
func Handler(parts func() []Part, ask func([]Part) []Fault) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked := parts()
		reasons := map[string]string{}
		for _, fault := range ask(asked) {
			reasons[fault.Part] = fault.Reason.Error()
		}
		report := Report{Status: ok, Parts: []PartReport{}}
		for _, part := range asked {
			told := PartReport{Part: part.Name, Status: ok}
			if reason, faulty := reasons[part.Name]; faulty {
				told.Status, told.Reason, report.Status = failing, reason, failing
			}
			report.Parts = append(report.Parts, told)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if report.Status == failing {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(report) // the caller went away
	})
}

// Beat tells whether a loop still goes round.
type Beat struct {
	most  time.Duration
	since func(time.Time) time.Duration
	last  atomic.Pointer[time.Time] // nil while the loop does not run
}

// NewBeat makes a beat of a loop that takes no longer than most for a round. since is
// time.Since, which the machine's clock being set does not disturb.
func NewBeat(most time.Duration, since func(time.Time) time.Duration) *Beat {
	return &Beat{most: most, since: since}
}

// Round notes that the loop begins a round.
func (b *Beat) Round() {
	now := time.Now()
	b.last.Store(&now)
}

// End notes that the loop is over, as it should be.
func (b *Beat) End() { b.last.Store(nil) }

// Alive gives an error if the loop hangs.
func (b *Beat) Alive() error {
	last := b.last.Load()
	if last == nil {
		return nil
	}
	if silent := b.since(*last); silent > b.most {
		return fmt.Errorf("its loop has not gone round for %s", silent.Round(time.Second))
	}
	return nil
}
