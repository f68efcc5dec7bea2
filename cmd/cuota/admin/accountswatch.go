package admin

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cuota/internal/account"
	"cuota/internal/loop"
)

const (
	// accountsWatchEvery is how often the account store is asked whether it answers.
	accountsWatchEvery = 5 * time.Second
	// accountsSilence is how long one question may take. Afterwards the store counts as one that
	// does not answer, even if the question never ends.
	accountsSilence = 15 * time.Second
	// accountsFailures is how many questions must fail in a row: a store under load may be slow once.
	accountsFailures = 2
)

// AccountsWatch asks the account store at intervals whether it answers, so that an outage
// shows before a client's key can't be checked.
type AccountsWatch struct {
	store   *account.Store
	loop    loop.Loop
	failed  int                       // questions that failed in a row; only the loop uses it
	trouble atomic.Pointer[error]     // why the last questions failed; nil if the last one succeeded
	asked   atomic.Pointer[time.Time] // when the question under way began; nil if none is
}

// NewAccountsWatch returns a watch over the store. It asks nothing before Start.
func NewAccountsWatch(store *account.Store) *AccountsWatch { return &AccountsWatch{store: store} }

// Start begins to ask.
func (w *AccountsWatch) Start() error {
	return w.loop.Start(func(ctx context.Context) {
		loop.Every(ctx, accountsWatchEvery, func() { w.look(ctx) })
	})
}

// Alive fails if the watch has ended.
func (w *AccountsWatch) Alive() error { return w.loop.Alive() }

// Stop ends the watch.
func (w *AccountsWatch) Stop(ctx context.Context) error { return w.loop.Stop(ctx) }

// look asks the store once.
func (w *AccountsWatch) look(ctx context.Context) {
	began := time.Now()
	w.asked.Store(&began)
	err := w.store.Answers(ctx)
	w.asked.Store(nil)
	switch {
	case ctx.Err() != nil: // the process stops
	case err == nil:
		w.failed = 0
		w.trouble.Store(nil)
	default:
		if w.failed++; w.failed >= accountsFailures {
			w.trouble.Store(&err)
		}
	}
}

// Ready returns why the store does not answer; nil if it does. It does not block.
func (w *AccountsWatch) Ready() error {
	if asked := w.asked.Load(); asked != nil && time.Since(*asked) > accountsSilence {
		return errors.New("no API key can be checked: the account store has not answered for " +
			accountsSilence.String())
	}
	if why := w.trouble.Load(); why != nil {
		return fmt.Errorf("no API key can be checked: %w", *why)
	}
	return nil
}
