package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/rs/zerolog"

	"cuota/internal/health"
)

func TestAProcessIsNotReadyBeforeAllItsPartsAreKnown(t *testing.T) {
	a, err := openAdmin(t.Context(), "127.0.0.1:0", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	a.start()
	defer func() {
		if err := a.stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	ready := func() (int, health.Report) {
		reply, err := http.Get("http://" + a.addr() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = reply.Body.Close() }()
		var report health.Report
		if err := json.NewDecoder(reply.Body).Decode(&report); err != nil {
			t.Fatal(err)
		}
		return reply.StatusCode, report
	}
	a.add(health.Part{Name: apiPart, Ready: func() error { return nil }}, true)
	if code, report := ready(); code != http.StatusServiceUnavailable || report.Parts[len(report.Parts)-1].Part != startPart {
		t.Errorf("while it starts: %d %+v", code, report)
	}
	a.allStarted()
	if code, report := ready(); code != http.StatusOK || len(report.Parts) != 1 {
		t.Errorf("after its start: %d %+v", code, report)
	}
}
