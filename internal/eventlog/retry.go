package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// defaultPatience is how long a call is tried again by default. A restart of a broker or the
// election of a leader takes less.
const defaultPatience = time.Minute

const (
	// attemptTimeout limits one attempt, so that a broker that never answers a request costs
	// only part of the patience.
	attemptTimeout = 15 * time.Second

	// tellAfter is how long a call is tried before Brokers.Waiting is called.
	tellAfter = time.Second
)

// UnavailableError says that a call failed with temporary errors for the whole patience.
type UnavailableError struct {
	Brokers Brokers
	After   time.Duration
	Err     error // error of the last attempt
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("Kafka at %v did not answer within %s; the last error is: %v", e.Brokers,
		e.After.Round(time.Millisecond), e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// patience returns how long one call is tried at most.
func (b Brokers) patience() time.Duration { return cmp.Or(b.Patience, defaultPatience) }

// retry repeats an attempt with growing pauses while it fails with temporary errors. It returns
// another error at once. It returns an *UnavailableError after the brokers' patience, or the
// context's cause if ctx ends first.
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

// tries is the state of one call's attempts.
type tries struct {
	brokers Brokers
	caller  context.Context
	ctx     context.Context // ends with the caller's context, or after the patience
	end     context.CancelFunc
	begun   time.Time
	wait    backoff
	last    error // error of the last attempt that did not end because of ctx
	said    bool
}

func (b Brokers) newTries(ctx context.Context) *tries {
	t := &tries{brokers: b, caller: ctx, begun: time.Now(), wait: backoff{least: retryLeast, most: retryMost}}
	t.ctx, t.end = context.WithTimeout(ctx, b.patience())
	return t
}

// again pauses after a failed attempt. It returns nil if there must be another attempt, else
// the error to return to the caller.
func (t *tries) again(err error) error {
	if t.ctx.Err() == nil && !retryable(err) {
		return err
	}
	if t.ctx.Err() == nil || t.last == nil {
		t.last = err
	}
	if t.ctx.Err() == nil {
		if took := time.Since(t.begun); !t.said && took >= tellAfter && t.brokers.Waiting != nil {
			t.said = true
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
