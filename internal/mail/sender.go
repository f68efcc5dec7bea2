package mail

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Carrier brings a message on its way. An error that wraps a Refusal means never;
// any other, not now. A carrier may be given a message again that it has carried,
// when the process ended before the outbox knew.
type Carrier interface {
	Carry(ctx context.Context, m Message) error
}

// recaller is a carrier that can take back what it carried.
type recaller interface {
	Recall(id string) error
}

// sweeper is a carrier that leaves something behind when its process is killed.
type sweeper interface {
	Sweep() error
}

// Refusal says that a message will not be taken however often it is tried. Its
// text repeats nothing of the message and nothing that a server said but codes.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// How the sender goes about it.
const (
	lookEvery   = 500 * time.Millisecond // for messages that are due, beyond being woken
	carryWithin = 90 * time.Second       // one message: relays may look at it for long before they answer
	finishing   = 5 * time.Second        // of a message under way at Stop
	lease       = 3 * time.Minute        // longer than carryWithin by more than clocks differ: nobody else carries it meanwhile
	firstRetry  = 30 * time.Second       // doubled with each attempt
	lastRetry   = 6 * time.Hour
	maxAttempts = 20 // within three days
	sweepEvery  = 10 * time.Minute
)

// Sender gives the messages of an outbox to a carrier as they fall due, and removes
// those of the past. Any number of processes may send from one outbox.
type Sender struct {
	outbox  *Outbox
	carrier Carrier
	log     zerolog.Logger

	swept   time.Time // by the outbox's clock; whoever runs has it, and unnoted
	unnoted unnoted   // the message that was carried and is not noted yet

	mu   sync.Mutex // guards what Start makes
	stop context.CancelFunc
	done chan struct{}
}

// unnoted is a message that was carried and is not noted yet.
type unnoted struct {
	id      string // "": none
	expires bool
	tried   bool // to note it
}

// NewSender makes a sender; nothing is sent before Start. Without a carrier (nil)
// it sends nothing ever, and removes what nobody waits for any more.
func NewSender(outbox *Outbox, carrier Carrier, log zerolog.Logger) *Sender {
	return &Sender{outbox: outbox, carrier: carrier, log: log}
}

// Start sends in the background until Stop.
func (s *Sender) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		return errors.New("mail sender: already started")
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.stop, s.done = stop, done
	go func() {
		defer close(done)
		s.run(ctx)
	}()
	return nil
}

// Stop ends sending, once the message under way is carried or its time is over:
// then whoever sends next tries it again.
func (s *Sender) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		return nil
	}
	s.stop()
	select {
	case <-s.done:
		s.stop, s.done = nil, nil
		return nil
	case <-ctx.Done():
		return fmt.Errorf("mail sender: a message is still being carried: %w", ctx.Err())
	}
}

func (s *Sender) run(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for failing := false; ; {
		more, err := s.sendOne(ctx)
		switch {
		case ctx.Err() != nil:
			if err := s.note(ctx); err != nil {
				s.log.Error().Err(err).Msg("a mail that was carried may be sent again")
			}
			return
		case err != nil && !failing: // once, not at every look
			s.log.Error().Err(err).Msg("the outbox can't be used: mails wait")
			failing = true
		case err == nil:
			failing = false
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-s.outbox.enqueued: // on PostgreSQL perhaps not committed yet, and found at the next look
		case <-look.C:
		}
	}
}

// sweepCarrier has the carrier remove what killed processes left. No mail waits for that.
func (s *Sender) sweepCarrier() {
	carrier, can := s.carrier.(sweeper)
	if !can {
		return
	}
	if err := carrier.Sweep(); err != nil {
		s.log.Warn().Err(err).Msg("the leftovers of mails could not be removed; trying again later")
	}
}

// sendOne carries the message that has been due for longest; more tells whether
// there was one. Nothing more is carried before the last one is noted: so no
// message goes out twice from here because the database failed in between, and from
// elsewhere only if it fails until the lease is over.
func (s *Sender) sendOne(ctx context.Context) (more bool, err error) {
	if err := s.note(ctx); err != nil {
		return false, err
	}
	if now := s.outbox.now(); now.Sub(s.swept) >= sweepEvery {
		if err := s.outbox.sweep(ctx); err != nil {
			return false, err
		}
		s.sweepCarrier()
		s.swept = now
	}
	if s.carrier == nil {
		return false, nil
	}
	m, ok, err := s.outbox.take(ctx, lease)
	if err != nil || !ok {
		return false, err
	}
	// What is under way at Stop may end well: broken off, it might arrive and be
	// sent again.
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), carryWithin)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishing, cancel) })()
	err = s.carrier.Carry(within, m.Message)
	keep := context.WithoutCancel(ctx)
	if err == nil {
		s.unnoted = unnoted{id: m.ID, expires: !m.Expires.IsZero()}
		err := s.note(ctx)
		return err == nil, err
	}
	told := func(event *zerolog.Event) *zerolog.Event {
		return event.Err(err).Str("mail", m.ID).Int64("attempt", m.attempt)
	}
	wait := retryAfter(m.attempt)
	again := s.outbox.now().Add(wait)
	failure := ""
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		failure = refusal.Reason
	case m.attempt >= maxAttempts:
		failure = "tried too often"
	case !m.Expires.IsZero() && !again.Before(m.Expires):
		failure = "it will have expired"
	}
	if failure != "" {
		told(s.log.Error()).Msg("a mail was given up")
		return true, s.outbox.giveUp(keep, m, failure)
	}
	told(s.log.Warn()).Dur("again_in_ms", wait).Msg("a mail was not carried")
	return true, s.outbox.postpone(keep, m, again)
}

// note notes that the last message was carried, unless it is noted. A message that
// somebody has removed from the outbox meanwhile is taken back.
func (s *Sender) note(ctx context.Context) error {
	last := s.unnoted
	if last.id == "" {
		return nil
	}
	s.unnoted.tried = true
	there, err := s.outbox.carried(context.WithoutCancel(ctx), last.id)
	if err != nil {
		return fmt.Errorf("note that mail %s was carried: %w", last.id, err)
	}
	s.unnoted = unnoted{}
	if there {
		return nil
	}
	if last.expires && last.tried {
		// A missing row proves nothing here: the first attempt may have deleted it although
		// it reported an error.
		return nil
	}
	s.recall(last.id)
	return nil
}

// recall takes a message back that was removed from the outbox while it was
// carried, as the messages of a person are who is forgotten. What a relay has
// can't be taken back.
func (s *Sender) recall(id string) {
	carrier, can := s.carrier.(recaller)
	if !can {
		return
	}
	if err := carrier.Recall(id); err != nil {
		s.log.Error().Err(err).Str("mail", id).Msg("the file of a mail to a removed account could not be deleted: delete it by hand")
	}
}

// retryAfter is how long a message waits after an attempt, the first being 1.
func retryAfter(attempt int64) time.Duration {
	wait := firstRetry
	for range attempt - 1 {
		if wait *= 2; wait >= lastRetry {
			return lastRetry
		}
	}
	return wait
}
