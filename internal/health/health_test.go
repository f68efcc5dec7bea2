package health_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cuota/internal/health"
)

func TestALoopThatDoesNotGoRoundIsNotAlive(t *testing.T) {
	silent := time.Minute
	beat := health.NewBeat(time.Hour, func(time.Time) time.Duration { return silent })
	if err := beat.Alive(); err != nil {
		t.Errorf("a loop that has not begun: %v", err)
	}
	beat.Round()
	if err := beat.Alive(); err != nil {
		t.Errorf("a loop that went round a minute ago: %v", err)
	}
	silent = 2 * time.Hour
	if err := beat.Alive(); err == nil {
		t.Error("a loop that went round two hours ago is alive")
	}
	beat.End()
	if err := beat.Alive(); err != nil {
		t.Errorf("a loop that was stopped: %v", err)
	}
}

func TestTheReportOfAllPartsGivesReasonsAndStatus503(t *testing.T) {
	broken := errors.New("no broker at 127.0.0.1:9092")
	fails := func() error { return broken }
	parts := map[string][]health.Part{
		"alive":    {{Name: "api", Alive: func() error { return nil }}, {Name: "consumer", Ready: fails}},
		"ready":    {{Name: "api", Alive: func() error { return nil }}, {Name: "consumer", Ready: fails}},
		"degraded": {{Name: "api", Degraded: fails}, {Name: "consumer", Alive: fails}},
	}
	for name, c := range map[string]struct {
		ask    func([]health.Part) []health.Fault
		status int
		want   health.Report
	}{
		"degraded": {health.Ready, http.StatusOK, health.Report{Status: "degraded", Parts: []health.PartReport{
			{Part: "api", Status: "degraded", Reason: broken.Error()}, {Part: "consumer", Status: "ok"}}}},
		"alive": {health.Alive, http.StatusOK,
			health.Report{Status: "ok", Parts: []health.PartReport{{Part: "api", Status: "ok"},
				{Part: "consumer", Status: "ok"}}}},
		"ready": {health.Ready, http.StatusServiceUnavailable,
			health.Report{Status: "failing", Parts: []health.PartReport{
				{Part: "api", Status: "ok"}, {Part: "consumer", Status: "failing", Reason: broken.Error()}}}},
	} {
		reply := httptest.NewRecorder()
		health.Handler(func() []health.Part {
			return parts[name]
		}, c.ask).ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/", nil))
		var got health.Report
		if err := json.Unmarshal(reply.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if reply.Code != c.status || got.Status != c.want.Status || len(got.Parts) != 2 ||
			got.Parts[0] != c.want.Parts[0] || got.Parts[1] != c.want.Parts[1] {
			t.Errorf("%s: %d %+v, want %d %+v", name, reply.Code, got, c.status, c.want)
		}
	}
}
