package query

import (
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/httpapi"
	"cuota/query/batch"
	"cuota/query/operation"
)

func TestAfterEachFailureTheRestOfFilesDoublesUpToTenMinutes(t *testing.T) {
	now := time.Date(2025, 7, 23, 12, 0, 0, 0, time.UTC)
	s := &Server{host: &operation.Host{Now: func() time.Time { return now }}, log: zerolog.Nop()}
	of := func(id string) operation.Pinned { return operation.Pinned{Batch: &batch.Batch{ID: id}} }
	for _, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 600, 600} {
		s.filesFailed(of("a"), errors.New("ClickHouse was restarted"))
		if rest := s.files.rest("a", now); rest != want*time.Second {
			t.Errorf("the rest is %s, want %s", rest, want*time.Second)
		}
		if rest := s.files.rest("a", now.Add(want*time.Second)); rest != 0 {
			t.Errorf("after the rest there are %s left", rest)
		}
	}
	if rest := s.files.rest("b", now); rest != 0 {
		t.Errorf("the files of another batch rest for %s", rest)
	}
	s.filesFailed(of("b"), errors.New("ClickHouse was restarted"))
	if rest := s.files.rest("b", now); rest != firstRest {
		t.Errorf("the first rest of another batch is %s", rest)
	}
}

func TestRetryAfterIsTheRestOfWhatTheLastFilesTook(t *testing.T) {
	now := time.Date(2025, 7, 23, 12, 0, 0, 0, time.UTC)
	var f bulkFiles
	if got := f.wait(now); got != httpapi.RetrySoon {
		t.Errorf("before the first files: %d", got)
	}
	f.begun.Store(&now)
	for _, c := range []struct {
		took, so time.Duration
		want     int
	}{
		{0, 0, httpapi.RetrySoon}, {0, 40 * time.Second, 41}, {0, time.Hour, longestWait},
		{90 * time.Second, 10 * time.Second, 81}, {90 * time.Second, 89 * time.Second, httpapi.RetrySoon},
		{90 * time.Second, 100 * time.Second, 101}, {time.Hour, 0, longestWait},
	} {
		f.took.Store(int64(c.took))
		if got := f.wait(now.Add(c.so)); got != c.want {
			t.Errorf("the last took %s, these so far %s: %d seconds, want %d", c.took, c.so, got, c.want)
		}
	}
}
