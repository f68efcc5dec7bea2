package mail

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The statements, one text for SQLite and PostgreSQL.
var (
	//go:embed sql/enqueue.sql
	enqueueSQL string
	//go:embed sql/take.sql
	takeSQL string
	//go:embed sql/carried.sql
	carriedSQL string
	//go:embed sql/postpone.sql
	postponeSQL string
	//go:embed sql/give_up.sql
	giveUpSQL string
	//go:embed sql/forget_done.sql
	forgetDoneSQL string
	//go:embed sql/sweep_expired.sql
	sweepExpiredSQL string
	//go:embed sql/sweep_waiting.sql
	sweepWaitingSQL string
	//go:embed sql/sweep_ids.sql
	sweepIDsSQL string
	//go:embed sql/count.sql
	countSQL string
)

// How long messages that do not expire are kept, from when they were enqueued.
const (
	// waitFor is how long one waits to be carried. Attempts end within days, so that
	// what waited for so long had no carrier: it is no news any more.
	waitFor = 31 * 24 * time.Hour
	// keepFor is how long the id of one is kept, which proves that it was enqueued.
	// Whoever makes an id does so for no longer: alerts end 31 days after the cutoff
	// that they are about, a summary some 62 after its month.
	keepFor = 180 * 24 * time.Hour
)

// Database is what the outbox asks of the account store, in whose schema its
// table is; *account.Store is one.
type Database interface {
	// Transact runs do in one durable transaction: all of it or nothing. It may
	// run do again.
	Transact(ctx context.Context, do func(*sql.Tx) error) error
	// Secret derives a key of 32 bytes from the pepper, one for each purpose.
	Secret(purpose string) []byte
}

// SecretPurpose is the purpose of the secret that the outbox seals with.
const SecretPurpose = "outbox"

// Outbox holds messages until they are carried. It is safe for concurrent use,
// and any number of processes may share its table.
type Outbox struct {
	database Database
	seal     func(id string, m Message) (string, error)
	unseal   func(id, sealed string) (Message, error)
	secret   func() []byte // a function, so that no way of printing an Outbox shows it
	now      func() time.Time
	enqueued chan struct{} // wakes a sender of this process
}

// NewOutbox makes the outbox of a store of accounts; now is its clock.
func NewOutbox(database Database, now func() time.Time) (*Outbox, error) {
	secret := database.Secret(SecretPurpose)
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	return &Outbox{
		database: database, now: now, secret: func() []byte { return secret }, enqueued: make(chan struct{}, 1),
		seal: func(id string, m Message) (string, error) {
			plain, err := json.Marshal(m)
			if err != nil {
				return "", err
			}
			return base64.StdEncoding.EncodeToString(sealer.Seal(nil, nil, plain, []byte(id))), nil
		},
		unseal: func(id, sealed string) (m Message, err error) {
			raw, err := base64.StdEncoding.DecodeString(sealed)
			if err != nil {
				return m, err
			}
			plain, err := sealer.Open(nil, nil, raw, []byte(id))
			if err != nil {
				return m, err
			}
			return m, json.Unmarshal(plain, &m)
		},
	}, nil
}

// Enqueue puts a message into the outbox as part of tx, a transaction of the
// account store. A message whose id is there already, carried or not, is left
// as it is. Ids are kept for 180 days, those of messages that expire only until
// they are carried.
func (o *Outbox) Enqueue(ctx context.Context, tx *sql.Tx, m Message) error {
	if err := m.validate(); err != nil {
		return fmt.Errorf("enqueue a message: %w", err)
	}
	sealed, err := o.seal(m.ID, m)
	if err != nil {
		return fmt.Errorf("enqueue a message: seal it: %w", err)
	}
	expires := sql.NullInt64{Int64: m.Expires.UnixMilli(), Valid: !m.Expires.IsZero()}
	if _, err := tx.ExecContext(ctx, enqueueSQL, m.ID, Recipient(o.secret(), m.To), m.List, sealed, o.now().UnixMilli(), expires); err != nil {
		return fmt.Errorf("enqueue a message: %w", err)
	}
	select {
	case o.enqueued <- struct{}{}:
	default: // somebody is woken already
	}
	return nil
}

// Recipient is what the table has in place of an address: its HMAC, by which
// the messages of a person who leaves are found.
func Recipient(secret []byte, address string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(address))
	return hex.EncodeToString(mac.Sum(nil))
}

// taken is a message that this process alone carries until its lease ends.
type taken struct {
	Message
	attempt int64 // 1 for the first
}

// take leases the message that has been due for longest; ok is false when none
// is.
func (o *Outbox) take(ctx context.Context, lease time.Duration) (t taken, ok bool, err error) {
	var id, sealed string
	now := o.now()
	err = o.database.Transact(ctx, func(tx *sql.Tx) error {
		ok = false
		err := tx.QueryRowContext(ctx, takeSQL, now.UnixMilli(), now.Add(lease).UnixMilli()).Scan(&id, &sealed, &t.attempt)
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

// carried erases a message that arrived; its id stays, so that it is not sent
// again, unless it is one that expires. there is false when somebody has removed the
// message meanwhile.
func (o *Outbox) carried(ctx context.Context, id string) (there bool, err error) {
	err = o.database.Transact(ctx, func(tx *sql.Tx) error {
		noted, err := tx.ExecContext(ctx, carriedSQL, o.now().UnixMilli(), id)
		if err != nil {
			return err
		}
		rows, err := noted.RowsAffected()
		if err != nil {
			return err
		}
		there = rows > 0
		_, err = tx.ExecContext(ctx, forgetDoneSQL, id)
		return err
	})
	return there, err
}

// postpone lets a taken message be taken again from an instant on.
func (o *Outbox) postpone(ctx context.Context, t taken, until time.Time) error {
	return o.database.Transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, postponeSQL, until.UnixMilli(), t.ID, t.attempt)
		return err
	})
}

// giveUp erases a taken message that is not tried again; its id stays, with why,
// unless it is one that expires.
func (o *Outbox) giveUp(ctx context.Context, t taken, failure string) error {
	return o.database.Transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, giveUpSQL, o.now().UnixMilli(), failure, t.ID, t.attempt); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, forgetDoneSQL, t.ID)
		return err
	})
}

// sweep removes what has expired, gives up what waits for too long, and forgets ids
// that nobody makes any more.
func (o *Outbox) sweep(ctx context.Context) error {
	now := o.now()
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{sweepExpiredSQL, []any{now.UnixMilli()}},
		{sweepIDsSQL, []any{now.Add(-keepFor).UnixMilli()}},
		{sweepWaitingSQL, []any{now.UnixMilli(), now.Add(-waitFor).UnixMilli()}},
	} {
		// Each in its own transaction: none waits for rows while it holds others.
		err := o.database.Transact(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, step.statement, step.args...)
			return err
		})
		if err != nil {
			return fmt.Errorf("remove mails of the past: %w", err)
		}
	}
	return nil
}

// Count is what is in the outbox.
type Count struct {
	Waiting int64
	Oldest  time.Duration // how long the first of those has waited; 0 without any
	GivenUp int64
}

// Count counts the messages of all processes.
func (o *Outbox) Count(ctx context.Context) (count Count, err error) {
	err = o.database.Transact(ctx, func(tx *sql.Tx) error {
		var first sql.NullInt64
		if err := tx.QueryRowContext(ctx, countSQL).Scan(&count.Waiting, &first, &count.GivenUp); err != nil {
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
