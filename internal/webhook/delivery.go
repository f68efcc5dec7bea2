package webhook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"time"

	"cuota/internal/seal"
	"cuota/internal/sqlrows"
)

// Outcome is how a delivery ended.
type Outcome string

// The outcomes. A delivery that waits has none.
const (
	Waiting   Outcome = ""
	Delivered Outcome = "delivered"
	GivenUp   Outcome = "given_up"
	Disabled  Outcome = "disabled" // the webhook was disabled while it waited
)

// Reasons why a webhook was disabled.
const (
	reasonGone    = "gone"    // the receiver answered 410
	reasonFailing = "failing" // every attempt has failed for disableAfter
)

// Delivery is a message to one webhook.
type Delivery struct {
	EventID   string // the webhook-id of its attempts
	Type      string // of the event
	BatchID   string // "" for a test
	CreatedAt time.Time
	Attempts  int64 // that were begun
	// TriedAt, Status, Failure and Reply are of the last attempt that ended; TriedAt is nil if none has.
	TriedAt *time.Time
	Status  int64   // of the HTTP response; 0 if there was none
	Failure Failure // "" if it succeeded
	Reply   string  // the beginning of the response's body, on one line
	// NextAt is when it is tried next, nil if it is not.
	NextAt *time.Time
	Ended  Outcome
}

func deliveriesOf(ctx context.Context, tx *sql.Tx, webhook string, most int) ([]Delivery, error) {
	return sqlrows.All(ctx, tx, statement("deliveries_of"), func(row *sql.Rows) (d Delivery, err error) {
		var created int64
		var batchID, failure, reply, ended sql.NullString
		var tried, status, due sql.NullInt64
		err = row.Scan(&d.EventID, &d.Type, &batchID, &created, &d.Attempts, &tried, &status, &failure, &reply,
			&due, &ended)
		d.BatchID, d.Failure, d.Reply = batchID.String, Failure(failure.String), reply.String
		d.CreatedAt, d.TriedAt, d.NextAt = moment(created), sqlrows.Instant(tried), sqlrows.Instant(due)
		d.Status, d.Ended = status.Int64, Outcome(ended.String)
		return d, err
	}, webhook, most)
}

// attempt is a delivery with a lease: until the lease ends, only this process tries it.
type attempt struct {
	webhook, event string
	kind           string // of the event
	number         int64  // from 1
	address        string
	body           []byte
	secrets        []string
	disabled       bool // the webhook was disabled meanwhile
	sealed         bool // the address or a secret can't be decrypted
}

// take leases the delivery that is due. ok is false if none is.
func (h *Hooks) take(ctx context.Context, lease time.Duration) (a attempt, ok bool, err error) {
	now := h.config.Now()
	var address, body string
	err = h.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		a, ok = attempt{}, false
		err := tx.QueryRowContext(ctx, statement("take"), now.UnixMilli(), now.Add(lease).UnixMilli()).
			Scan(&a.webhook, &a.event, &a.number)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, statement("taken"), a.webhook, a.event).
			Scan(&address, &a.disabled, &a.kind, &body)
		if err != nil {
			return err
		}
		if a.secrets, err = h.secretsOf(ctx, tx, a.webhook); errors.Is(err, seal.ErrSealed) {
			a.sealed, err = true, nil
		}
		ok = err == nil
		return err
	})
	if err != nil {
		return attempt{}, false, fmt.Errorf("take a message of a webhook: %w", err)
	}
	if !ok {
		return attempt{}, false, nil
	}
	opened, err := h.sealer.Open(a.webhook, address)
	if err != nil {
		a.sealed = true
	}
	a.address, a.body = string(opened), []byte(body)
	return a, true, nil
}

// record stores what came of an attempt, and what follows from it for the webhook. It does nothing if another process
// has taken the delivery since, or if the webhook was removed.
func (h *Hooks) record(ctx context.Context, a attempt, r result) (ended Outcome, disabled string, err error) {
	now := h.config.Now()
	err = h.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var failing sql.NullInt64
		err := tx.QueryRowContext(ctx, statement("hold_webhook"), a.webhook).Scan(&failing)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		next := sql.NullInt64{}
		ended, disabled = a.ends(r), ""
		if ended == Waiting {
			next = sql.NullInt64{Int64: now.Add(r.pause(a.number)).UnixMilli(), Valid: true}
		}
		switch since := sqlrows.Instant(failing); {
		case r.status == http.StatusGone:
			disabled = reasonGone
		case ended == GivenUp && a.kind != TestEvent && since != nil && now.Sub(*since) >= disableAfter:
			disabled = reasonFailing
		}
		err = tx.QueryRowContext(ctx, statement("tried"), now.UnixMilli(),
			sql.NullInt64{Int64: int64(r.status), Valid: r.status != 0}, sqlrows.OrNull(string(r.failure)),
			sqlrows.OrNull(r.reply), next,
			sqlrows.OrNull(string(ended)), a.webhook, a.event, a.number).Scan(new(string))
		if errors.Is(err, sql.ErrNoRows) {
			ended, disabled = Waiting, ""
			return nil
		}
		if err != nil {
			return err
		}
		return h.follow(ctx, tx, a, r, disabled, now.UnixMilli())
	})
	if err != nil {
		return Waiting, "", fmt.Errorf("record what came of a message of a webhook: %w", err)
	}
	return ended, disabled, nil
}

// follow stores what an attempt shows about its webhook: since when it fails, and whether it is disabled.
func (h *Hooks) follow(ctx context.Context, tx *sql.Tx, a attempt, r result, disabled string, now int64) error {
	switch {
	case a.disabled: // nothing was sent
		return nil
	case r.failure == "":
		_, err := tx.ExecContext(ctx, statement("working"), a.webhook)
		return err
	case a.kind != TestEvent:
		if _, err := tx.ExecContext(ctx, statement("failing"), now, a.webhook); err != nil {
			return err
		}
	}
	if disabled == "" {
		return nil
	}
	if _, err := tx.ExecContext(ctx, statement("disable"), now, disabled, a.webhook); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, statement("end_waiting"), now, a.webhook)
	return err
}

// keepFor is how long deliveries are in the log.
const keepFor = 30 * 24 * time.Hour

// sweep deletes secrets that sign no more, deliveries that are old or beyond MaxLogged, and events without deliveries.
func (h *Hooks) sweep(ctx context.Context) error {
	now := h.config.Now()
	for _, step := range []struct {
		statement string
		arg       int64
	}{
		{statement("sweep_secrets"), now.UnixMilli()},
		{statement("sweep_old"), now.Add(-keepFor).UnixMilli()},
		{statement("sweep_beyond"), MaxLogged},
		{statement("sweep_events"), now.Add(-keepFor).UnixMilli()},
	} {
		// Each step has its own transaction, so none waits for rows while it holds locks on others.
		if err := sqlrows.Exec(ctx, h.store, step.statement, step.arg); err != nil {
			return fmt.Errorf("remove old messages of webhooks: %w", err)
		}
	}
	return nil
}

// Count describes the webhooks of all people.
type Count struct {
	Waiting  int64
	Overdue  time.Duration // how long the delivery that is due first has been due; 0 if none is
	GivenUp  int64         // of the deliveries in the log
	Disabled int64         // webhooks
}

// Count counts the deliveries of all processes that share the account store.
func (h *Hooks) Count(ctx context.Context) (c Count, err error) {
	err = h.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var due sql.NullInt64
		if err := tx.QueryRowContext(ctx, statement("count")).Scan(&c.Waiting, &due, &c.GivenUp, &c.Disabled); err != nil {
			return err
		}
		c.Overdue = 0
		if due.Valid {
			c.Overdue = max(0, h.config.Now().Sub(moment(due.Int64)))
		}
		return nil
	})
	if err != nil {
		return Count{}, fmt.Errorf("count the messages of webhooks: %w", err)
	}
	return c, nil
}
