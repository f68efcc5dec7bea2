// Package webhook notifies programs of each published batch: it posts a signed message to the addresses that people
// have registered, as Standard Webhooks describes.
//
// Hooks has the webhooks of people. The Announcer finds batches that were published, and puts one delivery for each
// webhook into the account store, in one transaction with the event. The Sender takes deliveries that are due, and
// tries each until it is accepted or given up. Any number of processes may do both on one account store. An event is
// announced once, and a delivery is with one process at a time. If a process ends while it sends, another one sends
// the message again under the same webhook-id.
//
// Addresses and secrets are stored encrypted with a key that is derived from the pepper. Nothing here logs them.
package webhook

import (
	"cmp"
	"context"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"cuota/internal/seal"
	"cuota/internal/sqlrows"

	"github.com/google/uuid"
)

// Bounds of what one person has.
const (
	// MaxWebhooks is how many webhooks a person may register.
	MaxWebhooks = 5
	// MaxLogged is how many deliveries of a webhook are kept, besides those that wait.
	MaxLogged = 50
	// TestsPerHour is how many tests of all its webhooks a person may ask for in a clock hour.
	TestsPerHour = 20
	// maxSecrets is how many secrets of a webhook may sign at once.
	maxSecrets = 4
)

// Overlap is how long a secret signs after it was replaced.
const Overlap = 24 * time.Hour

// The reasons for refusing what a person asks. ErrUnknown stands for the webhooks of other people too.
var (
	ErrUnknown      = errors.New("the person has no such webhook")
	ErrFull         = fmt.Errorf("%d webhooks are registered already", MaxWebhooks)
	ErrRegistered   = errors.New("the address is registered already")
	ErrDisabled     = errors.New("the webhook is disabled")
	ErrManySecrets  = fmt.Errorf("%d secrets of the webhook are in use already", maxSecrets)
	ErrTooManyTests = fmt.Errorf("%d tests were asked for in this hour", TestsPerHour)
)

// Config says how webhooks are sent.
type Config struct {
	// Site is the public address of the service, as in https://funds.example.org.
	Site string
	// Private allows addresses of private networks and of this machine.
	Private bool
	// Every is the time between two looks for new batches. The default is 5 s.
	Every time.Duration
	// Now is the clock. The default is time.Now.
	Now func() time.Time
	// Resolver looks up the names of hosts. The default is that of the system.
	Resolver *net.Resolver
	// Roots are the authorities of receivers' certificates. The default is those of the system.
	Roots *x509.CertPool
}

// Store is the part of the account store that webhooks use. *account.Store implements it.
type Store interface {
	// Transact runs do in one durable transaction. It may run do several times.
	Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error
	// UnderLock is Transact with the account of a person locked. It returns account.ErrNoSession if the person was
	// removed.
	UnderLock(ctx context.Context, person string, do func(context.Context, *sql.Tx) error) error
	// Secret derives a key of 32 bytes from the pepper, a different one for each purpose.
	Secret(purpose string) []byte
	// CountInHour counts for a subject in the clock hour of now. It returns false if the limit is reached.
	CountInHour(ctx context.Context, tx *sql.Tx, subject string, limit int64, now time.Time) (bool, error)
}

// Hooks are the webhooks of an account store.
type Hooks struct {
	config Config
	policy policy
	store  Store
	sealer seal.Sealer
	woken  chan struct{} // wakes a sender of this process
}

// New makes the webhooks of an account store. It fails if Site is not a URL.
func New(config Config, store Store) (*Hooks, error) {
	site, err := url.Parse(config.Site)
	if err != nil {
		return nil, errors.New("webhooks: the base URL, which every message contains, is not well-formed")
	}
	if config.Every < 0 {
		return nil, fmt.Errorf("webhooks: the interval is %s, and must be above 0", config.Every)
	}
	config.Every = cmp.Or(config.Every, 5*time.Second)
	if config.Now == nil {
		config.Now = time.Now
	}
	sealer, err := seal.New(store.Secret("webhooks"))
	if err != nil {
		return nil, fmt.Errorf("webhooks: %w", err)
	}
	// A service without https is one of this machine alone, and so are its users.
	return &Hooks{config: config, policy: policy{private: config.Private, thisMachine: site.Scheme == "http"},
		store: store, sealer: sealer, woken: make(chan struct{}, 1)}, nil
}

// unreadable stands for an address that can't be decrypted.
const unreadable = "?"

// Webhook is an address that a person has registered.
type Webhook struct {
	ID        string
	Address   string // ? if it can't be decrypted
	CreatedAt time.Time
	// FailingSince is when the first attempt since the last success failed; nil if none has failed since.
	FailingSince *time.Time
	// DisabledAt is when it was disabled; nil if it is not.
	DisabledAt     *time.Time
	DisabledReason string // gone or failing; "" if it is not disabled
	// ReplacedUntil is until when a replaced secret signs; nil if none does.
	ReplacedUntil *time.Time
}

// Webhooks lists the webhooks of a person, in the order in which they were registered.
func (h *Hooks) Webhooks(ctx context.Context, person string) (list []Webhook, err error) {
	err = h.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		list, err = h.webhooksOf(ctx, tx, person, "")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the webhooks of an account: %w", err)
	}
	return list, nil
}

// webhooksOf reads the webhooks of a person, or only the one with an id, unless that is "".
func (h *Hooks) webhooksOf(ctx context.Context, tx *sql.Tx, person, id string) ([]Webhook, error) {
	return sqlrows.All(ctx, tx, statement("webhooks_of"), func(row *sql.Rows) (w Webhook, err error) {
		var sealed string
		var created int64
		var failing, disabled, replaced sql.NullInt64
		var reason sql.NullString
		if err := row.Scan(&w.ID, &sealed, &created, &failing, &disabled, &reason, &replaced); err != nil {
			return w, err
		}
		address, err := h.sealer.Open(w.ID, sealed)
		if errors.Is(err, seal.ErrSealed) { // the person must still see it, to remove it
			address, err = []byte(unreadable), nil
		}
		w.Address, w.CreatedAt, w.DisabledReason = string(address), moment(created), reason.String
		w.FailingSince, w.DisabledAt = sqlrows.Instant(failing), sqlrows.Instant(disabled)
		w.ReplacedUntil = sqlrows.Instant(replaced)
		return w, err
	}, person, id, h.now())
}

// Register registers an address for a person. secret is shown once, and never logged. It returns an *AddressError for
// an address that can't be used, ErrRegistered, ErrFull, or account.ErrNoSession if the person was removed.
func (h *Hooks) Register(ctx context.Context, person, address string) (w Webhook, secret string, err error) {
	if address, err = h.policy.check(address); err != nil {
		return Webhook{}, "", err
	}
	secret, id := newSecret(), newID()
	err = h.store.UnderLock(ctx, person, func(ctx context.Context, tx *sql.Tx) error {
		list, err := h.webhooksOf(ctx, tx, person, "")
		if err != nil {
			return err
		}
		for _, other := range list {
			if other.Address == address {
				return ErrRegistered
			}
		}
		if len(list) >= MaxWebhooks {
			return ErrFull
		}
		if _, err := tx.ExecContext(ctx, statement("insert_webhook"), id, person, h.sealer.Seal(id, []byte(address)),
			h.now()); err != nil {
			return err
		}
		w, err = h.addSecret(ctx, tx, person, id, secret)
		return err
	})
	if err != nil {
		return Webhook{}, "", fmt.Errorf("register a webhook: %w", err)
	}
	return w, secret, nil
}

// addSecret stores the current secret of a webhook, and returns the webhook as it is then.
func (h *Hooks) addSecret(ctx context.Context, tx *sql.Tx, person, webhook, secret string) (Webhook, error) {
	id := newID()
	if _, err := tx.ExecContext(ctx, statement("insert_secret"), id, webhook, h.sealer.Seal(id, []byte(secret)),
		h.now()); err != nil {
		return Webhook{}, err
	}
	return h.one(ctx, tx, person, webhook)
}

// one reads a webhook of a person. It returns ErrUnknown if the person has no such webhook.
func (h *Hooks) one(ctx context.Context, tx *sql.Tx, person, id string) (Webhook, error) {
	if !isID(id) {
		return Webhook{}, ErrUnknown
	}
	list, err := h.webhooksOf(ctx, tx, person, id)
	if err == nil && len(list) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Webhook{}, err
	}
	return list[0], nil
}

// Remove removes a webhook of a person, with its log. It returns ErrUnknown if the person has no such webhook.
func (h *Hooks) Remove(ctx context.Context, person, id string) error {
	if !isID(id) {
		return fmt.Errorf("remove a webhook: %w", ErrUnknown)
	}
	err := h.store.UnderLock(ctx, person, func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, statement("remove_webhook"), id, person).Scan(new(string))
		if errors.Is(err, sql.ErrNoRows) {
			return ErrUnknown
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("remove a webhook: %w", err)
	}
	return nil
}

// Rotate gives a webhook a new secret, which is shown once. The one before signs too, for Overlap. It returns
// ErrUnknown, or ErrManySecrets if too many are in use already.
func (h *Hooks) Rotate(ctx context.Context, person, id string) (w Webhook, secret string, err error) {
	secret = newSecret()
	err = h.store.UnderLock(ctx, person, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := h.one(ctx, tx, person, id); err != nil {
			return err
		}
		signing, err := h.secretsOf(ctx, tx, id)
		if err != nil {
			return err
		}
		if len(signing) >= maxSecrets {
			return ErrManySecrets
		}
		until := h.config.Now().Add(Overlap).UnixMilli()
		if _, err := tx.ExecContext(ctx, statement("retire_secret"), until, id); err != nil {
			return err
		}
		w, err = h.addSecret(ctx, tx, person, id, secret)
		return err
	})
	if err != nil {
		return Webhook{}, "", fmt.Errorf("replace the secret of a webhook: %w", err)
	}
	return w, secret, nil
}

// secretsOf reads the secrets that sign for a webhook, the newest first.
func (h *Hooks) secretsOf(ctx context.Context, tx *sql.Tx, webhook string) ([]string, error) {
	return sqlrows.All(ctx, tx, statement("secrets_of"), func(row *sql.Rows) (string, error) {
		var id, sealed string
		if err := row.Scan(&id, &sealed); err != nil {
			return "", err
		}
		secret, err := h.sealer.Open(id, sealed)
		return string(secret), err
	}, webhook, h.now())
}

// Enable lets a webhook get messages again that was disabled. It returns ErrUnknown if the person has no such webhook.
func (h *Hooks) Enable(ctx context.Context, person, id string) (w Webhook, err error) {
	err = h.store.UnderLock(ctx, person, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := h.one(ctx, tx, person, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, statement("enable"), id); err != nil {
			return err
		}
		w, err = h.one(ctx, tx, person, id)
		return err
	})
	if err != nil {
		return Webhook{}, fmt.Errorf("enable a webhook: %w", err)
	}
	return w, nil
}

// Test puts a test message for a webhook into the store. It is tried once. Test returns ErrUnknown, ErrDisabled or
// ErrTooManyTests.
func (h *Hooks) Test(ctx context.Context, person, id string) (d Delivery, err error) {
	event := h.testEvent()
	err = h.store.UnderLock(ctx, person, func(ctx context.Context, tx *sql.Tx) error {
		w, err := h.one(ctx, tx, person, id)
		if err != nil {
			return err
		}
		if w.DisabledAt != nil {
			return ErrDisabled
		}
		now := h.config.Now()
		allowed, err := h.store.CountInHour(ctx, tx, "tests of webhooks of account "+person, TestsPerHour, now)
		if err != nil {
			return err
		}
		if !allowed {
			return ErrTooManyTests
		}
		due := now.UnixMilli()
		if _, err := event.insert(ctx, tx, due); err != nil {
			return err
		}
		d = Delivery{EventID: event.id, Type: event.kind, CreatedAt: moment(due), NextAt: new(moment(due))}
		_, err = tx.ExecContext(ctx, statement("deliver_to"), id, event.id, due)
		return err
	})
	if err != nil {
		return Delivery{}, fmt.Errorf("test a webhook: %w", err)
	}
	h.wake()
	return d, nil
}

// Log returns a webhook of a person with its newest deliveries, the newest first. It returns ErrUnknown if the person
// has no such webhook.
func (h *Hooks) Log(ctx context.Context, person, id string) (w Webhook, list []Delivery, err error) {
	err = h.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if w, err = h.one(ctx, tx, person, id); err != nil {
			return err
		}
		list, err = deliveriesOf(ctx, tx, id, MaxLogged)
		return err
	})
	if err != nil {
		return Webhook{}, nil, fmt.Errorf("read the deliveries of a webhook: %w", err)
	}
	return w, list, nil
}

// wake lets a sender of this process look for deliveries now.
func (h *Hooks) wake() {
	select {
	case h.woken <- struct{}{}:
	default: // one is already woken
	}
}

// now returns the current time for the account store, in Unix milliseconds.
func (h *Hooks) now() int64 { return h.config.Now().UnixMilli() }

func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// isID reports whether a text has the form of an id. PostgreSQL refuses some other texts.
func isID(text string) bool { return len(text) == 32 && strings.Trim(text, "0123456789abcdef") == "" }

// newID makes the id of a row. It has no dot, because dots separate the parts of what is signed.
func newID() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }
