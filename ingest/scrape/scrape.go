// Package scrape fetches what sources publish, by address or from watched folders, and
// gives new files to package ingest.
//
// One request is under way at a time, each host is asked at its own pace, and at each
// moment of a source's schedule each due document is asked for until it is answered. A
// payload goes through four steps, and the state after each step is on disk:
//
//	fetched    it arrived whole; else nothing of it is kept
//	archived   under its sha256, whatever it contains
//	judged     read to its end as its dataset, with nothing published: an error
//	           page, a file that is cut off or one about other days ends here
//	published  by [ingest.Ingester], like any other file
//
// If the process dies between two steps, the next process goes on with the next step.
// Bytes that were published before are not published again.
package scrape

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"cuota/ingest"
	"cuota/ingest/archive"
)

// Ingester archives and publishes a file, as *ingest.Ingester does.
type Ingester interface {
	File(ctx context.Context, request ingest.Request) (ingest.Report, error)
}

// WithIngester runs work with an Ingester. It is called only when there is something to
// publish, so that connections are open no longer than needed.
type WithIngester func(ctx context.Context, work func(Ingester) error) error

const (
	// settle is how long a file in a folder must not change before it counts as
	// complete.
	settle = 10 * time.Second
	// publishAt is how many judged payloads are published before more are fetched.
	publishAt = 32
	// publishSoon is the longest pause between requests during which judged payloads
	// wait for more payloads before they are published.
	publishSoon = time.Minute
	// publishAgain is the pause after publishing failed.
	publishAgain = time.Minute
)

// Scraper fetches the sources of a configuration. Only one goroutine may use it.
type Scraper struct {
	archive  *archive.Archive
	judge    *ingest.Ingester // parses payloads and publishes nothing
	fetcher  *fetcher
	clock    Clock
	log      zerolog.Logger
	dir      string // directory of the state
	incoming string // directory of payloads that are being fetched
	sources  []*source
	lock     *os.File

	publishFrom time.Time // nothing is published before this time
}

// New returns a Scraper over the archive in a directory. It keeps its state in
// the subdirectory "scrape". It does nothing until Start.
func New(config Config, dir string, clock Clock, log zerolog.Logger) *Scraper {
	s := &Scraper{
		archive: archive.New(dir, clock.Now), clock: clock, log: log,
		dir: filepath.Join(dir, "scrape"), fetcher: newFetcher(config.agent, clock),
	}
	s.incoming = filepath.Join(s.dir, ".incoming")
	s.judge = ingest.New(s.archive, nowhere{}, zerolog.Nop())
	for _, c := range config.sources {
		s.sources = append(s.sources, &source{
			sourceConfig: c, scraper: s, store: store{filepath.Join(s.dir, c.name)},
			log: log.With().Str("source", c.name).Logger(), summary: Summary{Source: c.name},
		})
	}
	return s
}

// nowhere is a publisher that discards messages, for payloads that are only judged.
type nowhere struct{}

func (nowhere) Publish(ctx context.Context, _ string, _ []ingest.Message) error { return ctx.Err() }

// Start locks and reads the state. It fails if another process has locked it.
func (s *Scraper) Start() error {
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return fmt.Errorf("create the state directory of the scraper: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return fmt.Errorf("open the lock file of the scraper: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("another cuota scrape is using %s; stop it first", s.dir)
		}
		return fmt.Errorf("lock the state directory of the scraper: %w", err)
	}
	s.lock = lock
	// Payloads that were under way when a process died are fetched or restored again.
	if err := os.RemoveAll(s.incoming); err != nil {
		return fmt.Errorf("delete temporary payloads of an earlier run: %w", err)
	}
	if err := os.MkdirAll(s.incoming, 0o750); err != nil {
		return fmt.Errorf("create the directory for payloads: %w", err)
	}
	for _, source := range s.sources {
		if source.rest, source.documents, err = source.store.load(); err != nil {
			return err
		}
		maps.DeleteFunc(source.documents, func(_ string, d *document) bool { return !source.concerns(d) })
	}
	return nil
}

// Stop releases the state. The kernel releases it too when the process dies.
func (s *Scraper) Stop() error {
	s.fetcher.close()
	if s.lock == nil {
		return nil
	}
	lock := s.lock
	s.lock = nil
	return lock.Close()
}

// Now makes every source due, regardless of its schedule and its failures.
func (s *Scraper) Now() {
	now := s.clock.Now()
	for _, source := range s.sources {
		source.floor, source.rest.Failures, source.rest.Retry = now, 0, time.Time{}
	}
}

// Once does all the work that is due, including retries, and returns. Its error is one
// of this machine; failures of sources are in Summaries.
func (s *Scraper) Once(ctx context.Context, withIngester WithIngester) error {
	return s.run(ctx, withIngester, true)
}

// Run follows the schedules until the context ends, and then returns the context's
// error.
func (s *Scraper) Run(ctx context.Context, withIngester WithIngester) error {
	return s.run(ctx, withIngester, false)
}

func (s *Scraper) run(ctx context.Context, withIngester WithIngester, once bool) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		worked, err := s.pass(ctx)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		wake, underway := s.wake(now)
		idle := !worked && (!underway || wake.Sub(now) > publishSoon)
		if waiting := s.waiting(); waiting > 0 && (idle || waiting >= publishAt) {
			if !now.Before(s.publishFrom) {
				if err := s.publish(ctx, withIngester, once); err != nil {
					return err
				}
				continue
			}
			if s.publishFrom.Before(wake) {
				wake = s.publishFrom
			}
		}
		if worked {
			continue
		}
		if !underway {
			s.tell()
			if once {
				return nil
			}
		}
		if err := s.clock.Wait(ctx, wake); err != nil {
			return err
		}
	}
}

// pass lets each source that is ready do one piece of work, so that a source with a long
// history does not delay the others.
func (s *Scraper) pass(ctx context.Context) (worked bool, err error) {
	for _, source := range s.sources {
		if err := ctx.Err(); err != nil {
			return worked, err
		}
		if at, _ := source.next(s.clock.Now()); at.After(s.clock.Now()) {
			continue
		}
		if err := source.step(ctx); err != nil {
			return worked, fmt.Errorf("source %s: %w", source.name, err)
		}
		worked = true
	}
	return worked, nil
}

// wake returns when a source has its next work to do. underway says that some source is
// in the middle of its work and does not only wait for its schedule.
func (s *Scraper) wake(now time.Time) (wake time.Time, underway bool) {
	for _, source := range s.sources {
		at, busy := source.next(now)
		if wake.IsZero() || at.Before(wake) {
			wake = at
		}
		underway = underway || busy
	}
	return wake, underway
}
