package load

import (
	"testing"
	"time"
)

func TestRequestsAreDueAtEqualDistancesHoweverLateTheyAreSent(t *testing.T) {
	began := time.Now().Add(-time.Hour) // so that all of them are due already
	next := Order{Length: time.Second, PerSecond: 4}.onSchedule(began)
	for i := range 4 {
		due, more := next()
		if want := began.Add(time.Duration(i) * 250 * time.Millisecond); !more || !due.Equal(want) {
			t.Errorf("request %d is due %s after the start (%t), want %s", i, due.Sub(began), more, want.Sub(began))
		}
	}
	if due, more := next(); more {
		t.Errorf("one more is due %s after the start, when the round is over", due.Sub(began))
	}
}
