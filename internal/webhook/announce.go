package webhook

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"cuota/internal/loop"
	clickhouse "cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

const (
	// readWithin limits one ClickHouse statement.
	readWithin = 30 * time.Second
	// newsFor is how long ago a batch may have been published. An older one is no news: it was published while no
	// server ran for days, or the account store was restored from a backup.
	newsFor = 3 * 24 * time.Hour
)

// batch is a published batch.
type batch struct {
	ID          string    `ch:"batch_id"`
	PublishedAt time.Time `ch:"published_at"`
	AsOf        string    `ch:"as_of"`    // cutoff, YYYY-MM-DD; "" if there is none
	Previous    string    `ch:"previous"` // the batch that was published before it; "" if there is none
}

// Announcer looks for published batches, and enqueues a message about each for every webhook.
type Announcer struct {
	hooks  *Hooks
	reader clickhouse.Reader
	log    zerolog.Logger
	done   string // id of the newest batch at the last successful look
	loop   loop.Loop
}

// NewAnnouncer makes an announcer, which does nothing before Start.
func NewAnnouncer(hooks *Hooks, conn driver.Conn, log zerolog.Logger) *Announcer {
	return &Announcer{hooks: hooks, reader: clickhouse.NewReader(conn, "webhook", readWithin, true, nil), log: log}
}

// Start looks for batches in the background: at once, and then at intervals until Stop. It fails if it was already
// started.
func (a *Announcer) Start() error {
	if err := a.loop.Start(a.run); err != nil {
		return fmt.Errorf("announcer of webhooks: %w", err)
	}
	return nil
}

// Stop cancels a look in progress and waits until it has ended, or returns ctx's error. The next look, by any process,
// finds what this one has not announced.
func (a *Announcer) Stop(ctx context.Context) error {
	if err := a.loop.Stop(ctx); err != nil {
		return fmt.Errorf("announcer of webhooks: a look is still in progress: %w", err)
	}
	return nil
}

func (a *Announcer) run(ctx context.Context) {
	loop.EveryLogged(ctx, a.hooks.config.Every, a.log, "can't announce batches to webhooks; trying again",
		"announcing batches to webhooks again", a.Look)
}

// Look announces the batches that no process has announced, the oldest first.
func (a *Announcer) Look(ctx context.Context) error {
	since := a.hooks.config.Now().Add(-newsFor).UnixMilli()
	batches, err := clickhouse.Rows[batch](ctx, a.reader, "webhook_batches", clickhouse.Arg("since", since))
	if err != nil {
		return fmt.Errorf("look for published batches: %w", err)
	}
	if len(batches) == 0 || batches[0].ID == a.done {
		return nil
	}
	newest := batches[0].ID
	slices.Reverse(batches)
	for _, b := range batches {
		if err := a.announce(ctx, b); err != nil {
			return fmt.Errorf("announce batch %s to webhooks: %w", b.ID, err)
		}
	}
	a.done = newest
	return nil
}

// announce stores the event of a batch with a delivery for each webhook. It does nothing if a process has done so.
func (a *Announcer) announce(ctx context.Context, b batch) error {
	var enqueued int64
	err := a.hooks.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		enqueued = 0
		now, of := a.hooks.now(), a.hooks.published(b)
		isNew, err := of.insert(ctx, tx, now)
		if err != nil || !isNew {
			return err
		}
		done, err := tx.ExecContext(ctx, statement("deliver_to_all"), of.id, now)
		if err != nil {
			return err
		}
		enqueued, err = done.RowsAffected()
		return err
	})
	if err != nil {
		return err
	}
	if enqueued > 0 {
		a.log.Info().Str("batch_id", b.ID).Int64("webhooks", enqueued).Msg("messages about a batch wait for webhooks")
		a.hooks.wake()
	}
	return nil
}
