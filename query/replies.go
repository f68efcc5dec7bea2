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

// source tells where the body of a reply came from. Server-Timing shows it to callers.
type source string

const (
	fromClickHouse source = "clickhouse" // read and encoded for this request
	fromCache      source = "cache"      // encoded for an earlier request, or for one that is still running
	fromSnapshot   source = "snapshot"   // from the published batch in memory
)

// replies is the cache of encoded replies. The key is the validator, which identifies
// batch, input, day and request. A reply never changes under its validator, so entries
// never expire; when the cache is full, the least used ones are evicted. Requests for a
// reply that is being made share it, instead of asking ClickHouse again. Failures are not
// cached.
type replies struct {
	cache    *otter.Cache[string, []byte]
	most     int // largest reply that is cached, in bytes
	capacity *capacity
	lookups  lookups

	mu     sync.Mutex
	making map[string]*production // by validator
}

// newReplies makes a cache of at most maxBytes. It does not cache a reply larger than an
// eighth of that.
func newReplies(maxBytes int, limit *capacity, counted lookups) (*replies, error) {
	cache, err := otter.New(&otter.Options[string, []byte]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(name string, body []byte) uint32 {
			return uint32(min(len(name)+cap(body), math.MaxUint32))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of replies: %w", err)
	}
	return &replies{cache: cache, most: maxBytes / 8, capacity: limit, lookups: counted, making: map[string]*production{}}, nil
}

// answer gives the reply to a call from the cache, or lets the operation make it. A long
// reply is sent while it is made. The first request for a reply may be cancelled: the
// others still get it, and the statements have their own time limits. If reading fails, the
// requests that joined later try once more.
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
			out.release = func() { // the request keeps its place until its statements have ended
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

// find gives the cached reply of a validator, or else the one that is being made. first
// tells the caller to make it.
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

// produce makes a reply, and caches it if it is small enough.
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

// finish ends a production. Later requests find the reply in the cache, or make it again if
// it is not there.
func (r *replies) finish(validity string, made *production, err error) {
	r.mu.Lock()
	delete(r.making, validity)
	r.mu.Unlock()
	made.end(err)
}

// compressed gives a body in an encoding. It caches it under the validator of that
// encoding.
func (r *replies) compressed(ctx context.Context, with encoding, validity string, body []byte) ([]byte, error) {
	return r.cache.Get(ctx, with.variant(validity), otter.LoaderFunc[string, []byte](func(context.Context, string) ([]byte, error) {
		return with.compress(body)
	}))
}
