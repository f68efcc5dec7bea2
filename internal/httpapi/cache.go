package httpapi

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"cuota/internal/bounded"
)

// source says where the body of a reply came from. Server-Timing shows it to callers.
type source string

const (
	fromOrigin source = "clickhouse" // made for this request; the contract names where the data are
	fromCache  source = "cache"      // encoded for an earlier request, or for one that is still running
	fromMemory source = "snapshot"   // from the memory of the operation
)

// cached is an encoded reply, or a compressed one, which has no listing of its own.
type cached struct {
	body    []byte
	listing *Listing
}

// responseCache is the cache of encoded replies. The key is the validator, which identifies
// batch, input, day and request. A reply never changes under its validator, so entries
// never expire; when the cache is full, the least used ones are evicted. Requests for a
// reply that is being made share it, instead of making it again. Failures are not
// cached.
type responseCache struct {
	cache    bounded.Cache[string, cached]
	most     int // largest reply that is cached, in bytes
	capacity *capacity
	lookups  lookups

	mu     sync.Mutex
	making map[string]*sharedResponse // by validator
}

// newResponseCache makes a cache of at most maxBytes. It does not cache a reply larger than an
// eighth of that.
func newResponseCache(maxBytes int, limit *capacity, counted lookups) *responseCache {
	size := func(name string, reply cached) int { return len(name) + cap(reply.body) }
	return &responseCache{cache: bounded.OfBytes(uint64(maxBytes), size), most: maxBytes / 8, capacity: limit,
		lookups: counted, making: map[string]*sharedResponse{}}
}

// answer returns the reply of a validator from the cache, or makes it. A long reply is sent
// while it is made. The first request for a reply may be cancelled: the others still get it,
// and its reads have their own time limits. If reading fails, the requests that joined later
// try once more.
func (r *responseCache) answer(ctx context.Context, validator string,
	produce func(context.Context) (Reply, error)) (Reply, error) {
	for again := false; ; again = true {
		known, shared, first := r.find(validator)
		out := Reply{source: fromCache}
		if shared == nil {
			out.Body, out.Listing = known.body, known.listing
			return out, nil
		}
		if first {
			if err := r.capacity.enter(); err != nil {
				r.finish(validator, shared, err)
				return Reply{}, err
			}
			ctx = context.WithoutCancel(ctx)
			go r.produce(ctx, validator, produce, shared)
			out.source = fromOrigin
			out.place = r.capacity
			out.Release = func() { <-shared.done } // the request keeps its place until the reply is made
		}
		text, complete, err := shared.after(ctx, 0, streamFrom)
		switch {
		case err != nil && isUnavailable(err) && !first && !again:
			continue
		case err != nil:
			out.release()
			return Reply{}, err
		case complete:
			out.Body = text
		default:
			out.making = shared
		}
		out.Listing = shared.listing()
		return out, nil
	}
}

// find returns the cached reply of a validator, or else the one that is being made. first
// reports whether the caller must make it.
func (r *responseCache) find(validator string) (reply cached, shared *sharedResponse, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if reply, known := r.cache.Known(validator); known {
		r.lookups.hit()
		return reply, nil, false
	}
	if shared, known := r.making[validator]; known {
		r.lookups.shared()
		return cached{}, shared, false
	}
	r.lookups.miss()
	shared = newSharedResponse()
	r.making[validator] = shared
	return cached{}, shared, true
}

// produce makes a reply, and caches it if it is small enough.
func (r *responseCache) produce(ctx context.Context, validator string,
	produce func(context.Context) (Reply, error), shared *sharedResponse) {
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
		out, err := produce(ctx)
		if err != nil {
			return err
		}
		shared.state(out.Listing)
		if out.Write != nil {
			return out.Write(shared)
		}
		_, err = shared.Write(out.Body)
		return err
	}()
	if err == nil && len(shared.text) <= r.most {
		r.cache.Keep(validator, cached{shared.text, shared.list})
	}
	r.finish(validator, shared, err)
}

// finish ends a response. Later requests find the reply in the cache, or make it again if
// it is not there.
func (r *responseCache) finish(validator string, shared *sharedResponse, err error) {
	r.mu.Lock()
	delete(r.making, validator)
	r.mu.Unlock()
	shared.end(err)
}

// compressed returns a body in an encoding. It caches it under the validator of that
// encoding.
func (r *responseCache) compressed(ctx context.Context, with encoding, validator string, body []byte) ([]byte, error) {
	out, err := r.cache.Get(ctx, with.variant(validator), func(context.Context) (cached, error) {
		text, err := with.compress(body)
		return cached{body: text}, err
	})
	return out.body, err
}
