package query

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/maypok86/otter/v2"
)

// source tells where the body of a reply came from; it is told to callers in
// Server-Timing.
type source string

const (
	fromClickHouse source = "clickhouse" // read and encoded for this request
	fromCache      source = "cache"      // encoded for an earlier request, or one under way
	fromSnapshot   source = "snapshot"   // rows of the published batch in memory
)

// replies keeps encoded replies by their validators, which name batch, input,
// day and request: a reply never changes under its name, so nothing expires,
// and what is used least goes when there is too much. Requests for a reply that
// is being made wait for it instead of asking ClickHouse again. Failures are
// not kept.
type replies struct {
	cache *otter.Cache[string, []byte]
}

// newReplies makes a cache of at most so many bytes of replies.
func newReplies(maxBytes int) (*replies, error) {
	cache, err := otter.New(&otter.Options[string, []byte]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(name string, body []byte) uint32 {
			return uint32(min(len(name)+len(body), math.MaxUint32))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of replies: %w", err)
	}
	return &replies{cache}, nil
}

// answer gives the reply to a call from the cache, or else has the operation
// make it. Who asked first may leave: the others still get the reply, and the
// statements behind it are bounded by themselves.
func (r *replies) answer(ctx context.Context, op *operation, c *call) (reply, error) {
	out := reply{status: http.StatusOK, source: fromCache}
	body, err := r.cache.Get(ctx, c.validity, otter.LoaderFunc[string, []byte](func(ctx context.Context, _ string) ([]byte, error) {
		out.source = fromClickHouse
		made, err := op.answer(context.WithoutCancel(ctx), c)
		if err != nil {
			return nil, err
		}
		return encoded(made.body)
	}))
	out.body = body
	return out, err
}

// kept gives the reply that was made before under a validator.
func (r *replies) kept(validity string) ([]byte, bool) { return r.cache.GetIfPresent(validity) }

// keep keeps a reply, which must not change any more.
func (r *replies) keep(validity string, body []byte) { r.cache.Set(validity, body) }

// compressed gives a body in an encoding, kept under the validator of that
// representation.
func (r *replies) compressed(ctx context.Context, with encoding, validity string, body []byte) ([]byte, error) {
	return r.cache.Get(ctx, with.variant(validity), otter.LoaderFunc[string, []byte](func(context.Context, string) ([]byte, error) {
		return with.compress(body)
	}))
}
