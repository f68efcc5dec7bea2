package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// defaultPatience is how long brokers may fail one call before the caller learns of it.
// A restart or the choice of a new leader takes less.
const defaultPatience = time.Minute

const (
	// attemptTimeout bounds one attempt, so that a broker that takes a request and never
	// answers costs a part of the patience only.
	attemptTimeout = 15 * time.Second

	// tellAfter is from when on a call that is tried again is told.
	tellAfter = time.Second
)

// UnavailableError says that the brokers failed a call for as long as the caller's
// patience lasted, with errors that pass by themselves.
type UnavailableError struct {
	Brokers Brokers
	After   time.Duration
	Err     error // of the last attempt
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("Kafka at %v was tried for %s and gave: %v", e.Brokers, e.After.Round(time.Millisecond), e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// patience bounds the attempts of one call.
func (b Brokers) patience() time.Duration {
	if b.Patience > 0 {
		return b.Patience
	}
	return defaultPatience
}

// retry repeats an attempt, with growing pauses, while it gives an error that passes by
// itself. It gives up with an UnavailableError after the brokers' patience, or with the
// context's cause.
func (b Brokers) retry(ctx context.Context, attempt func(context.Context) error) error {
	tries := b.newTries(ctx)
	defer tries.end()
	for {
		limited, cancel := context.WithTimeout(tries.ctx, attemptTimeout)
		err := attempt(limited)
		cancel()
		if err == nil {
			return nil
		}
		if err := tries.again(err); err != nil {
			return err
		}
	}
}

// tries are the attempts of one call.
type tries struct {
	brokers Brokers
	caller  context.Context
	ctx     context.Context // ends with the caller's, and when the patience does
	end     context.CancelFunc
	begun   time.Time
	wait    backoff
	last    error // of an attempt that was not cut off
	told    bool
}

func (b Brokers) newTries(ctx context.Context) *tries {
	t := &tries{brokers: b, caller: ctx, begun: time.Now(), wait: backoff{least: retryLeast, most: retryMost}}
	t.ctx, t.end = context.WithTimeout(ctx, b.patience())
	return t
}

// again pauses after a failed attempt and returns nil if there is to be another one, else
// the error to give up with.
func (t *tries) again(err error) error {
	if t.ctx.Err() == nil && !retryable(err) {
		return err
	}
	if t.ctx.Err() == nil || t.last == nil {
		t.last = err
	}
	if t.ctx.Err() == nil {
		if took := time.Since(t.begun); !t.told && took >= tellAfter && t.brokers.Waiting != nil {
			t.told = true
			t.brokers.Waiting(t.last, t.brokers.patience()-took)
		}
		if t.wait.pause(t.ctx) == nil {
			return nil
		}
	}
	if t.caller.Err() != nil {
		return errors.Join(context.Cause(t.caller), t.last)
	}
	return &UnavailableError{t.brokers, time.Since(t.begun), t.last}
}
