// Package alert tells people by mail what happened to the series that they watch, and which series
// entered or left the screens that they saved. It sends one mail for each batch with such news, and
// a summary of each month after the month's end.
//
// Like the query server, it only reads published batches from ClickHouse. alert_events.sql
// defines the events and alert_summary.sql the contents of a summary. People and their
// watchlists come from the account store. Mails go into the outbox of package mail, so nothing
// here waits for a mail server.
//
// An event is identified by series, kind and date, whichever batch shows it. The account store
// keeps every event ever seen, of all series, so that only new events are announced. An event
// is not new if a rebuild, a corrected file or another process shows it again, or if it
// happened before the person began to watch the series. Announcing has two steps. Each step can
// be interrupted at any point and repeated, by this process or another:
//
//   - the batch is recorded; then its new events, each with the batch that announces it; then
//     the fact that all events are recorded
//   - each person who watches one of the series gets a mail whose id is made of batch and
//     person, so that it is in the outbox only once; after the last mail the batch is handled
//
// A saved screen has the ids of its series in the last batch of which its person was told. They
// are stored in the transaction that puts the mail into the outbox, so a change is announced
// once, and not at all when the screen was saved since.
//
// A batch that was published while no process looked is announced later, if its rows still
// exist and its cutoff is at most a month old.
package alert

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"cuota/internal/account"
	"cuota/internal/loop"
	"cuota/internal/mail"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// Config says what mails contain and how often Alerts looks for batches.
type Config struct {
	// Site is the public address of the service, as in https://funds.example.org.
	Site string
	// Unsubscribe returns the two addresses that take a person off a list: a page, and the
	// address of the one-click header (RFC 8058).
	Unsubscribe func(person string, list account.MailingList) (page, oneClick string)
	// Screens finds the series of saved screens. Without it, nothing is announced of screens.
	Screens Screens
	// Every is the time between two looks. The default is 5 s.
	Every time.Duration
	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

// Store is the account store. *account.Store implements it.
type Store interface {
	// Transact runs do in one durable transaction. It may run do several times.
	Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error
}

// Outbox stores a mail in the transaction that causes it. *mail.Outbox implements it.
type Outbox interface {
	Enqueue(ctx context.Context, tx *sql.Tx, m mail.Message) error
}

// Alerts looks for new events in published batches. Any number of processes may run it on the
// same account store.
type Alerts struct {
	config Config
	reader reader
	store  Store
	outbox Outbox
	log    zerolog.Logger

	looking sync.Mutex // held by Look
	done    string     // id of the newest batch at the last successful look

	loop loop.Loop
}

// New makes alerts, which do nothing before Start. It fails if Site or Unsubscribe is missing
// or Every is negative.
func New(config Config, conn driver.Conn, store Store, outbox Outbox, log zerolog.Logger) (*Alerts, error) {
	if config.Site == "" || config.Unsubscribe == nil {
		return nil, errors.New("alerts: set the base URL and the unsubscribe URL, which every mail contains")
	}
	config.Every = cmp.Or(config.Every, 5*time.Second)
	if config.Every < 0 {
		return nil, fmt.Errorf("alerts: the interval is %s, and must be above 0", config.Every)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Alerts{config: config, reader: newReader(conn), store: store, outbox: outbox, log: log}, nil
}

// Start looks for new events in the background: at once, and then at intervals of Config.Every
// until Stop. It fails if it was already started.
func (a *Alerts) Start() error {
	if err := a.loop.Start(a.run); err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	return nil
}

// Stop cancels a look in progress and waits until it has ended, or returns ctx's error. The
// next look, by any process, continues from there.
func (a *Alerts) Stop(ctx context.Context) error {
	if err := a.loop.Stop(ctx); err != nil {
		return fmt.Errorf("alerts: a check is still in progress: %w", err)
	}
	return nil
}

func (a *Alerts) run(ctx context.Context) {
	loop.EveryLogged(ctx, a.config.Every, a.log, "can't check for alerts; trying again", "checking for alerts again",
		a.Look)
}

// Look announces the new events of batches that no process has looked at, and sends the summary
// of a month that has ended. Batches published before the very first look give no news, nor do
// batches with an old cutoff. After an error the next look continues where this one stopped.
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
		return fmt.Errorf("alerts: find new events: %w", err)
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

// now returns the current time for the account store, in Unix milliseconds.
func (a *Alerts) now() int64 { return a.config.Now().UnixMilli() }

// page is how many people one transaction handles.
const page = 50
