package mail

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cuota/internal/seal"
	"cuota/internal/sqlrows"
)

// How long messages without an expiry are kept, counted from when they were enqueued.
const (
	// waitFor is how long a message may wait to be carried. Attempts end within days, so a
	// message that has waited for that long had no carrier. It is out of date, and is given up.
	waitFor = 31 * 24 * time.Hour
	// keepFor is how long the id of a message is kept. The id proves that the message was
	// enqueued. No caller enqueues the same id for that long: alerts end 31 days after the
	// cutoff of their batch, and a summary about 62 days after its month.
	keepFor = 180 * 24 * time.Hour
)

// Database is the part of the account store that the outbox uses. The outbox's table is in the
// store's schema. *account.Store implements it.
type Database interface {
	// Transact runs do in one durable transaction. It may run do several times.
	Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error
	// Secret derives a key of 32 bytes from the pepper. Each purpose gives another key.
	Secret(purpose string) []byte
}

// SecretPurpose is the purpose of the secret with which the outbox encrypts.
const SecretPurpose = "outbox"

// Outbox stores messages until they are carried. It is safe for concurrent use, and any number
// of processes may share its table.
type Outbox struct {
	database Database
	sealer   seal.Sealer
	secret   func() []byte // a function, so that printing an Outbox can't reveal the secret
	now      func() time.Time
	enqueued chan struct{} // wakes a sender of this process
}

// NewOutbox makes the outbox of an account store. now is its clock.
func NewOutbox(database Database, now func() time.Time) (*Outbox, error) {
	secret := database.Secret(SecretPurpose)
	sealer, err := seal.New(secret)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	return &Outbox{database: database, sealer: sealer, now: now, secret: func() []byte { return secret },
		enqueued: make(chan struct{}, 1)}, nil
}

func (o *Outbox) seal(m Message) (string, error) {
	plain, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	return o.sealer.Seal(m.ID, plain), nil
}

func (o *Outbox) unseal(id, sealed string) (m Message, err error) {
	plain, err := o.sealer.Open(id, sealed)
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(plain, &m)
	return m, err
}

// Enqueue puts a message into the outbox in the transaction tx of the account store. If the id
// is already in the outbox, carried or not, nothing changes. Ids are kept for 180 days. Ids of
// messages that expire are kept only until the message is carried or given up. Enqueue fails if
// the message is not valid.
func (o *Outbox) Enqueue(ctx context.Context, tx *sql.Tx, m Message) error {
	if err := m.validate(); err != nil {
		return fmt.Errorf("enqueue a message: %w", err)
	}
	sealed, err := o.seal(m)
	if err != nil {
		return fmt.Errorf("enqueue a message: seal it: %w", err)
	}
	expires := sql.NullInt64{Int64: m.Expires.UnixMilli(), Valid: !m.Expires.IsZero()}
	if _, err := tx.ExecContext(ctx, statement("enqueue"), m.ID, Recipient(o.secret(), m.To), m.List, sealed,
		o.now().UnixMilli(), expires); err != nil {
		return fmt.Errorf("enqueue a message: %w", err)
	}
	select {
	case o.enqueued <- struct{}{}:
	default: // a sender is already woken
	}
	return nil
}

// Recipient returns the HMAC of an address, which the table stores instead of the address. It
// finds the messages of a person who is removed.
func Recipient(secret []byte, address string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(address))
	return hex.EncodeToString(mac.Sum(nil))
}

// taken is a message with a lease: until the lease ends, only this process carries it.
type taken struct {
	Message
	attempt int64 // number of the attempt, from 1
}

// take leases the message that has been due for longest. ok is false if none is due.
func (o *Outbox) take(ctx context.Context, lease time.Duration) (t taken, ok bool, err error) {
	var id, sealed string
	now := o.now()
	err = o.database.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		ok = false
		err := tx.QueryRowContext(ctx, statement("take"), now.UnixMilli(), now.Add(lease).UnixMilli()).Scan(&id,
			&sealed, &t.attempt)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	if err != nil || !ok {
		return taken{}, false, err
	}
	if t.Message, err = o.unseal(id, sealed); err != nil {
		return taken{}, false, fmt.Errorf("open the sealed message %s: %w", id, err)
	}
	return t, true, nil
}

// carried erases a message that was delivered to the carrier. The id stays, so that the message
// is not sent again, unless the message expires. there is false if the message was removed from
// the outbox meanwhile.
func (o *Outbox) carried(ctx context.Context, id string) (there bool, err error) {
	err = o.database.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		noted, err := tx.ExecContext(ctx, statement("carried"), o.now().UnixMilli(), id)
		if err != nil {
			return err
		}
		rows, err := noted.RowsAffected()
		if err != nil {
			return err
		}
		there = rows > 0
		_, err = tx.ExecContext(ctx, statement("forget_done"), id)
		return err
	})
	return there, err
}

// postpone makes a taken message due again at a later time.
func (o *Outbox) postpone(ctx context.Context, t taken, until time.Time) error {
	return sqlrows.Exec(ctx, o.database, statement("postpone"), until.UnixMilli(), t.ID, t.attempt)
}

// giveUp erases a taken message that will not be tried again. The id stays with the reason,
// unless the message expires.
func (o *Outbox) giveUp(ctx context.Context, t taken, failure string) error {
	return o.database.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, statement("give_up"), o.now().UnixMilli(), failure, t.ID,
			t.attempt); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, statement("forget_done"), t.ID)
		return err
	})
}

// sweep removes expired messages, gives up those that have waited for longer than waitFor, and
// deletes ids that are older than keepFor.
func (o *Outbox) sweep(ctx context.Context) error {
	now := o.now()
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{statement("sweep_expired"), []any{now.UnixMilli()}},
		{statement("sweep_ids"), []any{now.Add(-keepFor).UnixMilli()}},
		{statement("sweep_waiting"), []any{now.UnixMilli(), now.Add(-waitFor).UnixMilli()}},
	} {
		// Each step has its own transaction, so none waits for rows while it holds locks on
		// others.
		if err := sqlrows.Exec(ctx, o.database, step.statement, step.args...); err != nil {
			return fmt.Errorf("remove expired mails: %w", err)
		}
	}
	return nil
}

// Count describes the contents of the outbox.
type Count struct {
	Waiting int64
	Oldest  time.Duration // how long the oldest waiting message has waited; 0 if none waits
	GivenUp int64
}

// Count counts the messages of all processes that share the outbox.
func (o *Outbox) Count(ctx context.Context) (count Count, err error) {
	err = o.database.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var first sql.NullInt64
		if err := tx.QueryRowContext(ctx, statement("count")).Scan(&count.Waiting, &first, &count.GivenUp); err != nil {
			return err
		}
		count.Oldest = 0
		if first.Valid {
			count.Oldest = max(0, o.now().Sub(time.UnixMilli(first.Int64)))
		}
		return nil
	})
	if err != nil {
		return Count{}, fmt.Errorf("count the mails: %w", err)
	}
	return count, nil
}
