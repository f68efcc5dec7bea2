package query

import (
	"context"
	"fmt"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/query/batch"
)

// pinnedBy returns the batch from which a part is read.
func pinnedBy(s batch.Source) pinned {
	return pinned{batch: s.Batch, reader: s.Reader, today: s.Today, cache: s.Cache}
}

// preload makes a part that holds complete replies by a key. The replies must not depend on
// the day of the request. read gives them before they are encoded.
func preload[K comparable, R any](name string, read func(context.Context, pinned) (map[K]R, error)) *batch.Part[map[K]httpapi.Reply] {
	return batch.NewPart(name, func(ctx context.Context, s batch.Source) (encoded map[K]httpapi.Reply, bytes int, err error) {
		replies, err := read(ctx, pinnedBy(s))
		if err != nil {
			return nil, 0, err
		}
		encoded = make(map[K]httpapi.Reply, len(replies))
		for key, reply := range replies {
			made, err := httpapi.JSON(reply)
			if err != nil {
				return nil, 0, fmt.Errorf("encode the reply about %v: %w", key, err)
			}
			encoded[key] = made
			bytes += len(made.Body) + int(unsafe.Sizeof(made))
		}
		return encoded, bytes, nil
	})
}

// catalogue makes an endpoint whose replies are all in memory. read gives the replies for some
// keys, or for all if none is named; allKeys names them where read can't know them. key is
// what a request asks for. unknown is the detail of the 404 for a key without a reply.
func catalogue[P any, K comparable, R any](path, part string, read func(context.Context, pinned, ...K) (map[K]R, error), key func(*P) K, unknown string, allKeys ...K) endpoint[P] {
	preloaded := preload(part, func(ctx context.Context, p pinned) (map[K]R, error) { return read(ctx, p, allKeys...) })
	return endpoint[P]{
		path: path,
		answer: func(ctx context.Context, r *request[P]) (httpapi.Reply, error) {
			replies, err := read(ctx, r.pinned, key(r.params))
			if err != nil {
				return httpapi.Reply{}, err
			}
			reply, known := replies[key(r.params)]
			if !known {
				return httpapi.Reply{}, httpapi.NotFound(unknown)
			}
			return httpapi.JSON(reply)
		},
		fromMemory: func(r *request[P]) (httpapi.Reply, bool, error) {
			return preloadedReply(preloaded, r.batch, key(r.params))
		},
		parts: []batch.Loader{preloaded},
	}
}

// preloadedReply returns the reply for a key, and false if there is none.
func preloadedReply[K comparable](part *batch.Part[map[K]httpapi.Reply], b *batch.Batch, key K) (httpapi.Reply, bool, error) {
	replies, _ := part.Of(b)
	reply, there := replies[key]
	return reply, there, nil
}
