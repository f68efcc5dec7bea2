package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/maypok86/otter/v2"
)

// source tells where the body of a reply came from; it is told to callers in
// Server-Timing.
type source string

const (
	fromClickHouse source = "clickhouse" // read and encoded for this request
	fromCache      source = "cache"      // encoded for an earlier request, or one under way
	fromSnapshot   source = "snapshot"   // of the published batch in memory
)

// replies keeps encoded replies by their validators, which name batch, input,
// day and request: a reply never changes under its name, so nothing expires,
// and what is used least goes when there is too much. Requests for a reply that
// is being made share it instead of asking ClickHouse again. Failures are not
// kept.
type replies struct {
	cache    *otter.Cache[string, []byte]
	most     int // bytes of a reply that is kept
	lookups  lookups
	capacity *capacity

	mu     sync.Mutex
	making map[string]*production // by validator
}

// newReplies makes a cache of at most so many bytes of replies, of which none
// may take more than an eighth.
func newReplies(maxBytes int, counted lookups, limit *capacity) (*replies, error) {
	cache, err := otter.New(&otter.Options[string, []byte]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(name string, body []byte) uint32 {
			return uint32(min(len(name)+cap(body), math.MaxUint32))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of replies: %w", err)
	}
	return &replies{cache: cache, most: maxBytes / 8, lookups: counted, capacity: limit, making: map[string]*production{}}, nil
}

// answer gives the reply to a call from the cache, or else has the operation
// make it. A long one is given while it is made. Who asked first may leave: the
// others still get the reply, and the statements behind it are bounded by
// themselves. Who asked later does not suffer either when reading fails: they
// try again, once.
func (r *replies) answer(ctx context.Context, op *operation, c *call) (reply, error) {
	for again := false; ; again = true {
		body, made, first := r.find(c.validity)
		out := reply{status: http.StatusOK, source: fromCache}
		if body != nil {
			out.body = body
			return out, nil
		}
		if first {
			if err := r.capacity.enter(); err != nil {
				r.finish(c.validity, made, err)
				return reply{}, err
			}
			ctx = context.WithoutCancel(ctx)
			go r.produce(ctx, op, c, made)
			out.source = fromClickHouse
			out.release = func() { // no request is over before its statements are
				<-made.done
				r.capacity.leave()
			}
		}
		text, whole, err := made.after(ctx, 0, streamFrom)
		unread := (*readError)(nil)
		switch {
		case errors.As(err, &unread) && !first && !again:
			continue
		case err != nil:
			if first {
				out.release()
			}
			return reply{}, err
		case whole:
			out.body = text
		default:
			out.making = made
		}
		return out, nil
	}
}

// find gives the reply that is kept under a validator, or else the one that is
// being made; first tells that the caller is to make it.
func (r *replies) find(validity string) (body []byte, made *production, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if body, known := r.cache.GetIfPresent(validity); known {
		r.lookups.hit()
		return body, nil, false
	}
	if made, known := r.making[validity]; known {
		r.lookups.shared()
		return nil, made, false
	}
	r.lookups.miss()
	made = newProduction()
	r.making[validity] = made
	return nil, made, true
}

// produce makes a reply, and keeps it where the cache has room for it.
func (r *replies) produce(ctx context.Context, op *operation, c *call, made *production) {
	err := func() (err error) {
		defer r.capacity.asked()
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
			}
		}()
		end, err := r.capacity.turn(ctx)
		if err != nil {
			return err
		}
		defer end()
		out, err := op.answer(ctx, c)
		if err != nil {
			return err
		}
		if out.write != nil {
			return out.write(made)
		}
		body, err := encoded(out.body)
		if err != nil {
			return err
		}
		_, err = made.Write(body)
		return err
	}()
	if err == nil && len(made.text) <= r.most {
		r.cache.Set(c.validity, made.text)
	}
	r.finish(c.validity, made, err)
}

// finish ends a production: nobody joins it any more, nor makes again what is kept.
func (r *replies) finish(validity string, made *production, err error) {
	r.mu.Lock()
	delete(r.making, validity)
	r.mu.Unlock()
	made.end(err)
}

// compressed gives a body in an encoding, kept under the validator of that
// representation.
func (r *replies) compressed(ctx context.Context, with encoding, validity string, body []byte) ([]byte, error) {
	return r.cache.Get(ctx, with.variant(validity), otter.LoaderFunc[string, []byte](func(context.Context, string) ([]byte, error) {
		return with.compress(body)
	}))
}
