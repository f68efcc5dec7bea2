// Package alert tells people what happened to the series that they watch: one
// mail for each batch that has news of them, and a summary of each month when it
// is over.
//
// It stands behind the projector as the query server does: it reads published
// batches from ClickHouse (alert_events.sql says what an event is, alert_summary.sql
// what a summary has) and it knows people from the account store. What it has to
// say goes into the outbox of package mail; nothing here waits for a mail server.
//
// An event is a series, a kind and a date, whichever batch shows it. The account
// store keeps every event ever seen, of all series, so that only what is new is
// announced: not what a rebuild, a corrected file or another process shows again,
// and not what had happened before somebody began to watch. Announcing has two
// steps, and each can be broken off anywhere and done again, by this process or
// another:
//
//   - the batch is written down, then what is new in it with the batch that
//     announces it, then that this is all
//   - each person concerned gets a mail whose id is made of batch and person, so
//     that it is in the outbox once; when all have theirs the batch is handled
//
// A batch published while nobody looked is announced later, as long as its rows
// are kept and its cutoff is no more than a month old.
package alert

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"cuota/internal/account"
	"cuota/internal/mail"
	"cuota/internal/statement"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// Config says what mails name and how often to look. The zero value of Every and
// Now means their default.
type Config struct {
	// Site is the public address of the service, as in https://funds.example.org.
	Site string
	// Unsubscribe gives the addresses that take a person off a list: a page, and
	// that of the one-click header (RFC 8058).
	Unsubscribe func(person string, list account.MailingList) (page, oneClick string)
	// Every is how often to look for batches, by default 5 s.
	Every time.Duration
	// Now is the clock, by default time.Now.
	Now func() time.Time
}

// Store is the account store; *account.Store is one.
type Store interface {
	// Transact runs do in one durable transaction: all of it or nothing. It may
	// run do again.
	Transact(ctx context.Context, do func(*sql.Tx) error) error
}

// Outbox takes a mail in the transaction of what causes it; *mail.Outbox is one.
type Outbox interface {
	Enqueue(ctx context.Context, tx *sql.Tx, m mail.Message) error
}

// Alerts looks for news in published batches. Any number of processes may do so.
type Alerts struct {
	config Config
	reader reader
	store  Store
	outbox Outbox
	log    zerolog.Logger

	santiago *time.Location

	looking sync.Mutex // one look at a time
	done    string     // id of the newest batch when a look last came to its end

	mu      sync.Mutex // guards what Start makes
	stop    context.CancelFunc
	stopped chan struct{}
}

// New makes alerts that look at nothing before Start.
func New(config Config, conn driver.Conn, store Store, outbox Outbox, log zerolog.Logger) (*Alerts, error) {
	if config.Site == "" || config.Unsubscribe == nil {
		return nil, errors.New("alerts: mails need the address of the service and a way to unsubscribe")
	}
	if config.Every == 0 {
		config.Every = 5 * time.Second
	}
	if config.Every < 0 {
		return nil, fmt.Errorf("alerts: look every %s: the time between two looks is positive", config.Every)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		return nil, fmt.Errorf("alerts: load the time zone of Santiago: %w", err)
	}
	return &Alerts{santiago: santiago, config: config, reader: reader{statement.Named(conn, "alert")}, store: store, outbox: outbox, log: log}, nil
}

// Start looks in the background until Stop, at once and then every so often.
func (a *Alerts) Start() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		return errors.New("alerts: already started")
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	a.stop, a.stopped = stop, stopped
	go func() {
		defer close(stopped)
		a.run(ctx)
	}()
	return nil
}

// Stop breaks off a look under way. Whoever looks next goes on with it.
func (a *Alerts) Stop(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop == nil {
		return nil
	}
	a.stop()
	select {
	case <-a.stopped:
		a.stop, a.stopped = nil, nil
		return nil
	case <-ctx.Done():
		return fmt.Errorf("alerts: a look is still under way: %w", ctx.Err())
	}
}

func (a *Alerts) run(ctx context.Context) {
	ticker := time.NewTicker(a.config.Every)
	defer ticker.Stop()
	for failing := false; ; {
		err := a.Look(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing: // once, not at every look
			a.log.Warn().Err(err).Msg("alerts wait: what happened can't be looked up")
		case err == nil && failing:
			a.log.Info().Msg("alerts go on")
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Look announces what is new in batches that nobody has looked at yet, and sends
// the summary of a month that is over. Nothing that was published before the very
// first look is news, nor what a cutoff of long ago shows. On an error the next look
// goes on where this one ended.
func (a *Alerts) Look(ctx context.Context) error {
	a.looking.Lock()
	defer a.looking.Unlock()
	batches, err := a.reader.batches(ctx)
	if err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	if len(batches) == 0 {
		return nil
	}
	newest := batches[len(batches)-1]
	if newest.ID == a.done {
		return nil
	}
	if err := a.findEvents(ctx, batches); err != nil {
		return fmt.Errorf("alerts: find what is new: %w", err)
	}
	if err := a.announceAll(ctx); err != nil {
		return fmt.Errorf("alerts: announce: %w", err)
	}
	if err := a.summarise(ctx, newest); err != nil {
		return fmt.Errorf("alerts: monthly summary: %w", err)
	}
	a.done = newest.ID
	return nil
}

// now is the instant that is written down, Unix milliseconds.
func (a *Alerts) now() int64 { return a.config.Now().UnixMilli() }

// page is how many people are served in one transaction.
const page = 50
