package mail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/loop"
)

// Carrier sends a message. If the error wraps a *Refusal, the message must not be tried again;
// after any other error it may be. A carrier may get a message that it has already sent, if the
// process ended before the outbox recorded that.
type Carrier interface {
	Carry(ctx context.Context, m Message) error
}

// recaller is a carrier that can withdraw a message that it has carried.
type recaller interface {
	Recall(id string) error
}

// sweeper is a carrier that must clean up after processes that were killed.
type sweeper interface {
	Sweep() error
}

// Refusal says that a message will not be accepted however often it is tried. Its text contains
// nothing of the message, and of the server's response only codes.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// Times and limits of the sender.
const (
	lookEvery   = 500 * time.Millisecond // for messages that are due, in addition to being woken
	carryWithin = 90 * time.Second       // timeout of one message; relays may check it for long before they answer
	finishing   = 5 * time.Second        // extra time after Stop for a message that is being carried
	// longer than carryWithin plus any difference between clocks, so that no other process carries the message
	// meanwhile
	lease       = 3 * time.Minute
	firstRetry  = 30 * time.Second // doubled after each attempt, up to lastRetry
	lastRetry   = 6 * time.Hour
	maxAttempts = 20 // reached within three days
	sweepEvery  = 10 * time.Minute
)

// Sender gives the messages of an outbox to a carrier when they are due, and sweeps the outbox.
// Any number of processes may send from one outbox.
type Sender struct {
	outbox  *Outbox
	carrier Carrier
	log     zerolog.Logger

	swept   time.Time // last sweep, by the outbox's clock; only run uses it and unnoted
	unnoted unnoted   // a message that was carried, but whose row is not updated yet

	loop loop.Loop
}

// unnoted is a message that was carried, but whose row in the outbox is not updated yet.
type unnoted struct {
	id      string // "" if there is no such message
	expires bool
	tried   bool // at least one update was tried
}

// NewSender makes a sender, which does nothing before Start. If carrier is nil, it sends
// nothing and only sweeps the outbox.
func NewSender(outbox *Outbox, carrier Carrier, log zerolog.Logger) *Sender {
	return &Sender{outbox: outbox, carrier: carrier, log: log}
}

// Start sends in the background until Stop. It fails if it was already started.
func (s *Sender) Start() error {
	if err := s.loop.Start(s.run); err != nil {
		return fmt.Errorf("mail sender: %w", err)
	}
	return nil
}

// Stop ends sending. It waits for the message that is being carried, for at most a few seconds;
// if that is cut off, the next sender tries it again. Stop returns ctx's error if ctx ends
// first.
func (s *Sender) Stop(ctx context.Context) error {
	if err := s.loop.Stop(ctx); err != nil {
		return fmt.Errorf("mail sender: a mail is still being sent: %w", err)
	}
	return nil
}

func (s *Sender) run(ctx context.Context) {
	look := time.Tick(lookEvery)
	for failing := false; ; {
		more, err := s.sendOne(ctx)
		switch {
		case ctx.Err() != nil:
			if err := s.note(ctx); err != nil {
				s.log.Error().Err(err).Msg("could not record that a mail was sent; it may be sent again")
			}
			return
		case err != nil && !failing: // log the first failure only
			s.log.Error().Err(err).Msg("can't read the outbox; mails wait until it can be read")
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
		// on PostgreSQL the transaction may not be committed yet; then the next look finds the message
		case <-s.outbox.enqueued:
		case <-look:
		}
	}
}

// sweepCarrier lets the carrier clean up after killed processes. A failure does not stop
// sending.
func (s *Sender) sweepCarrier() {
	carrier, can := s.carrier.(sweeper)
	if !can {
		return
	}
	if err := carrier.Sweep(); err != nil {
		s.log.Warn().Err(err).Msg("temporary files of mails could not be removed; trying again later")
	}
}

// sendOne carries the message that has been due for longest. more reports whether there was one.
// It carries nothing before the last message's row is updated. So a failing database does not
// make this process send a message twice. Another process sends it again only if the database
// fails for longer than the lease.
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
	// Stop gives the message some time: if it were cut off at once, it might have arrived and
	// be sent again.
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
	logged := func(event *zerolog.Event) *zerolog.Event {
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
		failure = "too many attempts failed"
	case !m.Expires.IsZero() && !again.Before(m.Expires):
		failure = "the mail expires before the next attempt"
	}
	if failure != "" {
		logged(s.log.Error()).Msg("a mail could not be sent, and is not tried again")
		return true, s.outbox.giveUp(keep, m, failure)
	}
	logged(s.log.Warn()).Dur("again_in_ms", wait).Msg("a mail could not be sent; trying again")
	return true, s.outbox.postpone(keep, m, again)
}

// note updates the row of the message that was carried last, if that is not done yet. If the
// message was removed from the outbox meanwhile, note recalls it.
func (s *Sender) note(ctx context.Context) error {
	last := s.unnoted
	if last.id == "" {
		return nil
	}
	s.unnoted.tried = true
	there, err := s.outbox.carried(context.WithoutCancel(ctx), last.id)
	if err != nil {
		return fmt.Errorf("record that mail %s was sent: %w", last.id, err)
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

// recall withdraws a message that was removed from the outbox while it was carried, because its
// person was removed. A relay can't withdraw a message.
func (s *Sender) recall(id string) {
	carrier, can := s.carrier.(recaller)
	if !can {
		return
	}
	if err := carrier.Recall(id); err != nil {
		s.log.Error().Err(err).Str("mail",
			id).Msg("the file of a mail to a removed account could not be deleted: delete it by hand")
	}
}

// retryAfter returns the pause after an attempt. The first attempt is 1.
func retryAfter(attempt int64) time.Duration {
	wait := firstRetry
	for range attempt - 1 {
		if wait *= 2; wait >= lastRetry {
			return lastRetry
		}
	}
	return wait
}
