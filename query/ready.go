package query

import (
	"context"
	"fmt"
	"net/http"
)

// ready holds replies of the current batch that do not depend on the day of the request:
// the catalogues, and the market at the cutoff. Each kind is read by one statement, however
// many replies it has, and each reply is encoded once.
type ready struct {
	managers map[string][]byte // asset_providers, by scope
	funds    map[uint32][]byte // conceptual_assets, by manager
	series   map[uint32][]byte // real_assets, by fund
	rankings map[string][]byte // agf_stats/ranking, by metric
	summary  []byte            // market-summary
	listing  *listing          // all-funds

	catalogueBytes, bytes int // size of the JSON of the first three, and of all
}

// loadReady reads these replies for a batch with a cutoff.
func (s *Server) loadReady(ctx context.Context, b *batch) (*ready, error) {
	out := &ready{}
	managers, err := s.managersOf(ctx, b, scopes...)
	if err == nil {
		out.managers, err = encodeEach(managers, &out.bytes)
	}
	if err != nil {
		return nil, err
	}
	funds, err := s.fundsOf(ctx, b)
	if err == nil {
		out.funds, err = encodeEach(funds, &out.bytes)
	}
	if err != nil {
		return nil, err
	}
	series, err := s.seriesOf(ctx, b)
	if err == nil {
		out.series, err = encodeEach(series, &out.bytes)
	}
	if err != nil {
		return nil, err
	}
	out.catalogueBytes = out.bytes
	ranked, err := s.rank(ctx, b, cutoffOf(b), metrics...)
	if err == nil {
		out.rankings, err = encodeEach(ranked, &out.bytes)
	}
	if err != nil {
		return nil, err
	}
	summary, err := s.summarise(ctx, b, cutoffOf(b))
	if err == nil {
		out.summary, err = encode(summary)
	}
	if err != nil {
		return nil, err
	}
	if out.listing, err = s.loadListing(ctx, b); err != nil {
		return nil, err
	}
	out.bytes += len(out.summary) + out.listing.bytes
	return out, nil
}

// encodeEach encodes the replies of one kind, and adds their size to bytes.
func encodeEach[K comparable, R any](replies map[K]R, bytes *int) (map[K][]byte, error) {
	encoded := make(map[K][]byte, len(replies))
	for key, reply := range replies {
		text, err := encode(reply)
		if err != nil {
			return nil, fmt.Errorf("encode the reply about %v: %w", key, err)
		}
		encoded[key] = text
		*bytes += len(text)
	}
	return encoded, nil
}

// readyReply gives the reply for a key, and false if there is none.
func readyReply[K comparable](replies map[K][]byte, asked K) (reply, bool) {
	body, there := replies[asked]
	return reply{status: http.StatusOK, body: body}, there
}
