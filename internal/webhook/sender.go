package webhook

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/loop"
)

// Times and limits of the sender.
const (
	lookEvery = 500 * time.Millisecond // for deliveries that are due, in addition to being woken
	atOnce    = 8                      // requests of a process
	finishing = 5 * time.Second        // extra time after Stop for requests under way
	// longer than postWithin plus any difference between clocks, so that no other process sends meanwhile
	lease       = time.Minute
	sweepEvery  = 10 * time.Minute
	recordEvery = time.Second // after a failure of the account store, until the lease ends
	// disableAfter is for how long every attempt must have failed, until a delivery that is given up disables its
	// webhook.
	disableAfter = 5 * 24 * time.Hour
	longestPause = 24 * time.Hour
)

// pauses are those after each attempt, as Standard Webhooks proposes them: ten attempts in three days.
var pauses = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, longestPause}

// ends returns how an attempt ends its delivery, or Waiting if the delivery is tried again. A test is tried once.
func (a attempt) ends(r result) Outcome {
	switch {
	case a.disabled:
		return Disabled
	case r.failure == "":
		return Delivered
	case r.status == http.StatusGone, a.sealed, a.kind == TestEvent, a.number > int64(len(pauses)):
		return GivenUp
	}
	return Waiting
}

// pause returns the time until the next attempt: at least that which the receiver asks for, and up to a tenth longer
// than the schedule says, so that not all come back at once.
func (r result) pause(number int64) time.Duration {
	wait := pauses[min(number, int64(len(pauses)))-1]
	return max(wait+rand.N(wait/10), r.retryAfter)
}

// Sender sends the deliveries that are due, and sweeps the log. Any number of processes may do so on one account store.
type Sender struct {
	hooks  *Hooks
	poster poster
	log    zerolog.Logger
	swept  time.Time // last sweep, by the clock of the hooks; only run uses it

	delivered, failed atomic.Int64

	loop loop.Loop
}

// NewSender makes a sender, which does nothing before Start.
func NewSender(hooks *Hooks, log zerolog.Logger) *Sender {
	return &Sender{hooks: hooks, poster: newPoster(hooks), log: log}
}

// Attempts returns how many attempts of this process were accepted, and how many failed.
func (s *Sender) Attempts() (delivered, failed int64) { return s.delivered.Load(), s.failed.Load() }

// Start sends in the background until Stop. It fails if it was already started.
func (s *Sender) Start() error {
	if err := s.loop.Start(s.run); err != nil {
		return fmt.Errorf("sender of webhooks: %w", err)
	}
	return nil
}

// Stop ends sending. It waits for requests under way, for at most a few seconds; if one is cut off, the next sender
// tries it again. Stop returns ctx's error if ctx ends first.
func (s *Sender) Stop(ctx context.Context) error {
	if err := s.loop.Stop(ctx); err != nil {
		return fmt.Errorf("sender of webhooks: a message is still being sent: %w", err)
	}
	return nil
}

func (s *Sender) run(ctx context.Context) {
	look, failing := time.Tick(lookEvery), false
	slots := make(chan struct{}, atOnce)
	var sending sync.WaitGroup
	defer sending.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		a, ok, err := s.next(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing: // log the first failure only
			s.log.Error().Err(err).Msg("can't read the messages of webhooks; they wait until they can be read")
			failing = true
		case err == nil:
			failing = false
		}
		if ok {
			sending.Go(func() {
				defer func() { <-slots }()
				s.send(ctx, a)
			})
			continue
		}
		<-slots
		select {
		case <-ctx.Done():
			return
		case <-s.hooks.woken:
		case <-look:
		}
	}
}

// next sweeps if it is time to, and takes the delivery that is due.
func (s *Sender) next(ctx context.Context) (a attempt, ok bool, err error) {
	if now := s.hooks.config.Now(); now.Sub(s.swept) >= sweepEvery {
		if err := s.hooks.sweep(ctx); err != nil {
			return attempt{}, false, err
		}
		s.swept = now
	}
	return s.hooks.take(ctx, lease)
}

// send tries a delivery and records what came of it.
func (s *Sender) send(ctx context.Context, a attempt) {
	r := result{failure: FailedSealed}
	if a.disabled {
		r.failure = ""
	} else if !a.sealed {
		// Stop gives the request some time: if it were cut off at once, it might have arrived and be sent again.
		within, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(finishing, cancel) })()
		r = s.poster.post(within, a, s.hooks.config.Now())
		if within.Err() != nil && r.failure != "" {
			return // cut off by Stop: another sender tries again when the lease ends
		}
		if r.failure == "" {
			s.delivered.Add(1)
		} else {
			s.failed.Add(1)
		}
	}
	ended, disabled, err := s.recorded(ctx, a, r)
	if err != nil {
		s.log.Error().Err(err).Str("webhook", a.webhook).Str("event", a.event).
			Msg("could not record the result of a message to a webhook; it may be sent again")
		return
	}
	switch {
	case disabled != "":
		s.log.Warn().Str("webhook", a.webhook).Str("reason", disabled).Msg("a webhook was disabled")
	case ended == GivenUp:
		s.log.Warn().Str("webhook", a.webhook).Str("event", a.event).Str("failure", string(r.failure)).
			Msg("a message of a webhook was given up")
	}
}

// recorded records what came of an attempt. While the account store fails it tries again, until the lease ends or the
// sender stops.
func (s *Sender) recorded(ctx context.Context, a attempt, r result) (ended Outcome, disabled string, err error) {
	for begun := time.Now(); ; {
		ended, disabled, err = s.hooks.record(context.WithoutCancel(ctx), a, r)
		if err == nil || time.Since(begun) > lease-postWithin || loop.Pause(ctx, recordEvery) != nil {
			return ended, disabled, err
		}
	}
}
