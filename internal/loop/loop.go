// Package loop runs work in the background from Start to Stop, repeats work at intervals, and
// waits.
package loop

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Loop is work in the background. The zero value is not started. Its methods may be called from
// several goroutines.
type Loop struct {
	mu    sync.Mutex
	stop  context.CancelFunc
	ended context.Context // done once the work has returned; nil before the first Start
}

// Start begins the work in a goroutine, with a context that ends at Stop. It fails if earlier
// work has not returned.
func (l *Loop) Start(work func(context.Context)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil && l.ended.Err() == nil {
		return errors.New("already started")
	}
	ctx, stop := context.WithCancel(context.Background())
	ended, end := context.WithCancel(context.Background())
	l.stop, l.ended = stop, ended
	go func() {
		defer end()
		work(ctx)
	}()
	return nil
}

// Stop ends the context of the work and waits until the work has returned. It returns ctx's
// error if ctx ends first. Without work it does nothing.
func (l *Loop) Stop(ctx context.Context) error {
	l.mu.Lock()
	stop, ended := l.stop, l.ended
	l.mu.Unlock()
	if ended == nil {
		return nil
	}
	stop()
	select {
	case <-ended.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Alive fails if the work has returned, after Stop or by itself. Before Start it is nil.
func (l *Loop) Alive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil && l.ended.Err() != nil {
		return errors.New("its loop has ended")
	}
	return nil
}

// Pause waits for a time. It returns ctx's error if ctx ends first.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Every calls work at once and then at intervals, until ctx ends.
func Every(ctx context.Context, interval time.Duration, work func()) {
	_ = Until(ctx, interval, func() (bool, error) { // it ends with ctx, which is no failure
		work()
		return false, nil
	})
}

// EveryLogged calls look at once and then at intervals, until ctx ends. Of several failures in a row it logs the first,
// and it logs the first success after them.
func EveryLogged(ctx context.Context, interval time.Duration, log zerolog.Logger, failed, recovered string,
	look func(context.Context) error) {
	failing := false
	Every(ctx, interval, func() {
		err := look(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil && !failing:
			log.Warn().Err(err).Msg(failed)
		case err == nil && failing:
			log.Info().Msg(recovered)
		}
		failing = err != nil
	})
}

// Until calls look at once and then at intervals, until it returns true or fails. It returns
// ctx's error if ctx ends first. After the end of ctx it does not call look again, even if an
// interval has passed too.
func Until(ctx context.Context, interval time.Duration, look func() (done bool, err error)) error {
	tick := time.Tick(interval)
	for {
		if done, err := look(); done || err != nil {
			return err
		}
		select {
		case <-tick:
		case <-ctx.Done():
		}
		if ctx.Err() != nil { // select may choose the tick although ctx has ended
			return ctx.Err()
		}
	}
}
