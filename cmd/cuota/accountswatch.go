package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"cuota/internal/account"
	"cuota/internal/loop"
)

// accountsWatchEvery is how often the account store is asked whether it answers.
const accountsWatchEvery = 5 * time.Second

// accountsWatch asks the account store at intervals whether it answers, so that an outage
// shows before a client's key can't be checked.
type accountsWatch struct {
	store   *account.Store
	loop    loop.Loop
	trouble atomic.Pointer[error] // why the last question failed; nil if it succeeded
}

func (w *accountsWatch) start() error {
	return w.loop.Start(func(ctx context.Context) {
		loop.Every(ctx, accountsWatchEvery, func() { w.look(ctx) })
	})
}

// look asks the store once.
func (w *accountsWatch) look(ctx context.Context) {
	switch err := w.store.Answers(ctx); {
	case ctx.Err() != nil: // the process stops
	case err != nil:
		w.trouble.Store(&err)
	default:
		w.trouble.Store(nil)
	}
}

// ready returns why the store did not answer the last question; nil if it did. It does not
// block.
func (w *accountsWatch) ready() error {
	if why := w.trouble.Load(); why != nil {
		return fmt.Errorf("no API key can be checked: %w", *why)
	}
	return nil
}
