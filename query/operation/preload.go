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

// Preload makes a part that holds complete replies by a key. The replies must not depend on
// the day of the request. read gives them before they are encoded.
func Preload[K comparable, R any](name string, read func(context.Context, Pinned) (map[K]R, error)) *batch.Part[map[K]httpapi.Reply] {
	return batch.NewPart(name, func(ctx context.Context, s batch.Source) (encoded map[K]httpapi.Reply, bytes int, err error) {
		replies, err := read(ctx, PinnedBy(s))
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

// Catalogue makes an endpoint whose replies are all in memory. read gives the replies for some
// keys, or for all if none is named; allKeys names them where read can't know them. key is
// what a request asks for. unknown is the detail of the 404 for a key without a reply.
func Catalogue[P any, K comparable, R any](path, part string, read func(context.Context, Pinned, ...K) (map[K]R, error), key func(*P) K, unknown string, allKeys ...K) Endpoint[P] {
	preloaded := Preload(part, func(ctx context.Context, p Pinned) (map[K]R, error) { return read(ctx, p, allKeys...) })
	return Endpoint[P]{
		Path: path,
		Answer: func(ctx context.Context, r *Request[P]) (httpapi.Reply, error) {
			replies, err := read(ctx, r.Pinned, key(r.Params))
			if err != nil {
				return httpapi.Reply{}, err
			}
			reply, known := replies[key(r.Params)]
			if !known {
				return httpapi.Reply{}, httpapi.NotFound(unknown)
			}
			return httpapi.JSON(reply)
		},
		FromMemory: func(r *Request[P]) (httpapi.Reply, bool, error) {
			return PreloadedReply(preloaded, r.Batch, key(r.Params))
		},
		Parts: []batch.Loader{preloaded},
	}
}

// PreloadedReply returns the reply for a key, and false if there is none.
func PreloadedReply[K comparable](part *batch.Part[map[K]httpapi.Reply], b *batch.Batch, key K) (httpapi.Reply, bool, error) {
	replies, _ := part.Of(b)
	reply, there := replies[key]
	return reply, there, nil
}
