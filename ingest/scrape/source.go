package scrape

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"
)

// source is one source and its state.
type source struct {
	sourceConfig
	scraper   *Scraper
	store     store
	log       zerolog.Logger
	rest      rest
	documents map[string]*document
	summary   Summary
	touched   bool      // it did something since its summary was last logged
	floor     time.Time // everything that was looked at before this time is due
}

// slot is the last moment of the schedule that is not after now.
func (s *source) slot(now time.Time) time.Time {
	slot := s.schedule.latest(now)
	if s.floor.After(slot) {
		return s.floor
	}
	return slot
}

// next returns when the source has work to do, now or later. underway says that this is
// part of work in progress and not the next moment of its schedule.
func (s *source) next(now time.Time) (at time.Time, underway bool) {
	if s.address == nil {
		at, underway = s.nextLook(now)
	} else if _, due := s.due(now); due {
		at, underway = now, true
	} else {
		return s.schedule.next(now), false
	}
	if !underway {
		return at, false
	}
	later := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	later(s.rest.Retry)
	if s.address != nil {
		later(s.scraper.fetcher.pace.ready(s.host(), s.interval))
	}
	return at, !s.resting(now)
}

// resting reports whether the source has used up its retries and waits for the next moment
// of its schedule.
func (s *source) resting(now time.Time) bool {
	return s.rest.Failures > s.retries && now.Before(s.rest.Retry)
}

// step does one piece of work: one request, or one listing of the folder.
func (s *source) step(ctx context.Context) error {
	s.touched = true
	now := s.scraper.clock.Now()
	if s.rest.Failures > s.retries { // it has waited for its schedule, and starts again
		s.rest.Failures = 0
	}
	if s.address != nil {
		return s.ask(ctx, now)
	}
	return s.look(ctx, now)
}

// concerns reports whether the state of a document is about what the configuration asks for
// today.
func (s *source) concerns(d *document) bool {
	if s.address == nil {
		return d.Asked == string(s.dataset)
	}
	p, known := s.periodOf(d)
	return known && d.Asked == s.asked(p)
}

// document returns the state of a document. It is empty if nothing is known.
func (s *source) document(name, asked string) *document {
	if d := s.documents[name]; d != nil {
		return d
	}
	return &document{Name: name, Asked: asked}
}

// keep writes the state of a document to disk.
func (s *source) keep(d *document) error {
	s.documents[d.Name] = d
	return s.store.saveDocument(d)
}

// well records that a document was answered, which resets its failures.
func (s *source) well(d *document, now time.Time) error {
	d.Looked, d.Failures, d.Trouble = now, 0, ""
	if err := s.keep(d); err != nil {
		return err
	}
	return s.recovered()
}

// recovered resets the source's number of failures.
func (s *source) recovered() error {
	if s.rest.Failures == 0 && s.rest.Retry.IsZero() {
		return nil
	}
	s.rest.Failures, s.rest.Retry = 0, time.Time{}
	return s.store.saveRest(s.rest)
}

// failed records a failure. The source then pauses, twice as long after each failure in
// a row. When its retries are used up, it rests until its schedule comes again. The
// document is tried again after all others.
func (s *source) failed(d *document, t *trouble) error {
	now := s.scraper.clock.Now()
	d.Failures++
	d.Trouble = t.reason
	s.rest.Failures++
	s.rest.Retry = now.Add(max(min(s.backoff<<(s.rest.Failures-1), maxBackoff), t.after))
	if s.rest.Failures > s.retries {
		if slot := s.schedule.next(now); slot.After(s.rest.Retry) {
			s.rest.Retry = slot
		}
	}
	s.log.Warn().Str("document", d.Name).Str("reason", t.reason).Int("failures", s.rest.Failures).
		Time("retry", s.rest.Retry).Msg("document not published; it is tried again")
	return errors.Join(s.keep(d), s.store.saveRest(s.rest))
}

// maxBackoff bounds the pause between two attempts.
const maxBackoff = 6 * time.Hour
