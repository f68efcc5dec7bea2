package operation

import (
	"context"
	"fmt"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/query/batch"
)

// PinnedBy returns the batch from which a part is read.
func PinnedBy(s batch.Source) Pinned {
	return Pinned{Batch: s.Batch, Reader: s.Reader, Today: s.Today, Cache: s.Cache}
}

// Kept is a reply that is kept in memory: the values of which it consists, for pages, and their JSON, for the API.
type Kept[R any] struct {
	Found R
	reply httpapi.Reply
}

// Keep encodes the reply of these values.
func Keep[R any](found R) (Kept[R], error) {
	reply, err := httpapi.JSON(found)
	return Kept[R]{found, reply}, err
}

// Reply returns the encoded reply, as httpapi.ReplyOf asks for.
func (k Kept[R]) Reply() httpapi.Reply { return k.reply }

// Bytes is about how much memory it takes: the values take about as much as their JSON.
func (k Kept[R]) Bytes() int { return 2*cap(k.reply.Body) + int(unsafe.Sizeof(k)) }

// Preload makes a part that holds complete replies by a key. The replies must not depend on
// the day of the request. read returns them before they are encoded.
func Preload[K comparable, R any](name string,
	read func(context.Context, Pinned) (map[K]R, error)) *batch.Part[map[K]Kept[R]] {
	return batch.NewPart(name, func(ctx context.Context, s batch.Source) (kept map[K]Kept[R], bytes int, err error) {
		replies, err := read(ctx, PinnedBy(s))
		if err != nil {
			return nil, 0, err
		}
		kept = make(map[K]Kept[R], len(replies))
		for key, reply := range replies {
			made, err := Keep(reply)
			if err != nil {
				return nil, 0, fmt.Errorf("encode the reply about %v: %w", key, err)
			}
			kept[key] = made
			bytes += made.Bytes()
		}
		return kept, bytes, nil
	})
}

// Catalogue makes an endpoint whose replies are all in memory. read returns the replies for some
// keys, or for all if none is named; allKeys names them where read can't know them. key is
// what a request asks for. unknown is the detail of the 404 for a key without a reply.
func Catalogue[P any, K comparable, R any](path, part string,
	read func(context.Context, Pinned, ...K) (map[K]R, error), key func(*P) K, unknown string,
	allKeys ...K) Endpoint[P, Kept[R]] {
	preloaded := Preload(part, func(ctx context.Context, p Pinned) (map[K]R, error) { return read(ctx, p, allKeys...) })
	return Endpoint[P, Kept[R]]{
		Path: path,
		Find: func(ctx context.Context, r *Request[P]) (Kept[R], error) {
			replies, err := read(ctx, r.Pinned, key(r.Params))
			if err != nil {
				return Kept[R]{}, err
			}
			reply, known := replies[key(r.Params)]
			if !known {
				return Kept[R]{}, httpapi.NotFound(unknown)
			}
			return Keep(reply)
		},
		Known: func(r *Request[P]) (Kept[R], bool, error) {
			replies, _ := preloaded.Of(r.Batch)
			kept, there := replies[key(r.Params)]
			return kept, there, nil
		},
		Parts: []batch.Loader{preloaded},
	}
}
