package batch

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

func TestRequestsWaitAroundTheMoment(t *testing.T) {
	for name, c := range map[string]struct {
		asked    time.Duration // after the moment
		answered time.Duration
		plan     uint64
	}{
		"long before":     {-time.Second, -time.Second, 1},
		"100 ms before":   {-100 * time.Millisecond, -100 * time.Millisecond, 1},
		"a little before": {-99 * time.Millisecond, 100 * time.Millisecond, 2},
		"at the moment":   {0, 100 * time.Millisecond, 2},
		"a little after":  {99 * time.Millisecond, 100 * time.Millisecond, 2},
		"100 ms after":    {100 * time.Millisecond, 100 * time.Millisecond, 2},
		"long after":      {time.Second, time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				moment := time.Now().Add(10 * time.Second)
				f := NewFollower(Config{Now: time.Now}, silent{}, nil, zerolog.Nop())
				f.current.Store(&Batch{Plan: 1, CalculatedAt: moment.Add(-time.Hour)})
				f.next.Store(&Batch{Plan: 2, CalculatedAt: moment})
				f.copies.Store(&copyState{CaughtUpAt: time.Now(), ValidMS: 20_000, Plans: []uint64{2, 1},
					Moments: []time.Time{moment, moment.Add(-time.Hour)}})
				time.Sleep(time.Until(moment.Add(c.asked)))
				b, err := f.Answering(t.Context())
				if err != nil || b.Plan != c.plan || time.Since(moment) != c.answered {
					t.Errorf("plan %d, %s after the moment, %v", b.Plan, time.Since(moment), err)
				}
			})
		})
	}
}

func TestAServerThatMayBeBehindAnswersNothing(t *testing.T) {
	now := time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)
	hour := now.Add(-time.Hour)
	knows := copyState{CaughtUpAt: now.Add(-20 * time.Second), ValidMS: 20_000, Plans: []uint64{2, 1},
		Moments: []time.Time{now, hour}}
	late, alone, ahead := knows, knows, knows
	ahead.CaughtUpAt = now.Add(time.Minute)
	late.CaughtUpAt = late.CaughtUpAt.Add(-time.Millisecond)
	alone.CaughtUpAt, alone.ValidMS = hour, 0
	for name, c := range map[string]struct {
		state  *copyState
		plan   uint64
		at     time.Time
		behind bool
	}{
		"it has the newest batch":                    {&knows, 2, now, false},
		"it lacks the newest batch":                  {&knows, 1, now, true},
		"the moment of the newest batch is to come":  {&knows, 1, now.Add(-time.Millisecond), false},
		"its copy has not heard of others for long":  {&late, 2, now, true},
		"the clock of its copy is or was ahead":      {&ahead, 2, now, true},
		"there is one copy":                          {&alone, 1, now, false},
		"it has not looked yet":                      {nil, 1, now, false},
		"it has a batch that was not announced here": {&knows, 3, now, false},
	} {
		if err := c.state.check(&Batch{Plan: c.plan}, c.at); errors.Is(err, ErrBehind) != c.behind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheNextBatchIsThatOfTheEarliestMoment(t *testing.T) {
	now := time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)
	at := func(seconds time.Duration) time.Time { return now.Add(seconds * time.Second) }
	for _, c := range []struct {
		moments []time.Time
		want    time.Time
	}{
		{nil, now}, {[]time.Time{at(-5)}, now}, {[]time.Time{at(0)}, now}, {[]time.Time{at(-5), at(20)}, at(20)},
		{[]time.Time{at(30), at(10), at(-5), at(20)}, at(10)},
	} {
		if got := (&copyState{Moments: c.moments}).next(now); !got.Equal(c.want) {
			t.Errorf("of %v, the next one is %s", c.moments, got)
		}
	}
}
