package query

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"cuota/model"
)

// snapshot holds of one batch what is asked for most, so that it need not be asked
// of ClickHouse: the series alive at the cutoff, for screener, compare and returns,
// by ascending id, with what they are filtered and sorted by and each one's JSON;
// and the replies that are ready. It is loaded once, when the batch is found
// published, and never changes; ClickHouse stays the source, and what the snapshot
// selects is what sql/queries/market.sql and all_funds.sql would.
type snapshot struct {
	batch     *batch
	rows      []marketRow
	positions map[uint32]int32 // in rows, by id
	columns   columns
	orders    map[string]order // by the values of the parameter sort
	ready     *ready

	// Ages in days are part of the replies, so the JSON is that of a day.
	rendered atomic.Pointer[rendering]
	drawing  sync.Mutex
}

// rendering is the JSON of a snapshot's rows on one day.
type rendering struct {
	day        model.Date
	items      [][]byte           // of compare and screener, one per row
	attributes []marketAttributes // what they were encoded from
	returns    [][]byte           // whole replies of returns, one per row
	meta       []byte             // marketMeta, without its closing brace
	tacKinds   tacKinds           // one per row
	bytes      int                // of all JSON
}

// loadSnapshot reads the rows of a batch and renders them for the day. It gives
// nil where the batch has no cutoff or is damaged, and where the JSON would exceed the
// memory that is allowed for it: then ClickHouse answers.
func (s *Server) loadSnapshot(ctx context.Context, b *batch) (*snapshot, error) {
	if b.AsOf == nil || b.Damaged {
		return nil, nil
	}
	began := time.Now()
	found, _, err := s.marketPage(ctx, b, marketSelection{sort: "id", order: "asc", limit: int64(b.SeriesCount)})
	if err != nil {
		return nil, err
	}
	if len(found) != int(b.SeriesCount) {
		return nil, &readError{"market", fmt.Errorf("batch %d has %d series, %d were read", b.Number, b.SeriesCount, len(found))}
	}
	shot := &snapshot{
		batch: b, rows: found, positions: make(map[uint32]int32, len(found)),
		columns: columnsOf(found), orders: ordersOf(found),
	}
	for i, row := range found {
		shot.positions[row.SeriesID] = int32(i)
	}
	drawn, err := shot.on(s.today(), s)
	if err != nil {
		return nil, err
	}
	if s.tooLarge(drawn.bytes) {
		return nil, nil
	}
	if shot.ready, err = s.loadReady(ctx, b); err != nil {
		return nil, err
	}
	if err := s.stillReadable(ctx, b); err != nil {
		return nil, err
	}
	size := drawn.bytes + shot.ready.bytes
	if s.tooLarge(size) {
		return nil, nil
	}
	// Reading and encoding leave several times as much garbage. Batches come a few
	// times a day: it is given back now rather than when memory runs short.
	debug.FreeOSMemory()
	s.log.Info().Uint64("batch", b.Number).Int("series", len(found)).Int("bytes", size).
		Int("market_bytes", drawn.bytes).Int("catalogue_bytes", shot.ready.catalogueBytes).Int("all_funds_bytes", shot.ready.listing.bytes).
		Dur("took_ms", time.Since(began)).
		Msg("the published batch is in memory")
	return shot, nil
}

// tooLarge tells, in the log too, that there is no room for so many bytes of JSON.
func (s *Server) tooLarge(size int) bool {
	if size <= s.config.SnapshotBytes {
		return false
	}
	s.log.Warn().Int("bytes", size).Int("allowed", s.config.SnapshotBytes).
		Msg("the published batch is too large to be kept in memory; ClickHouse answers every request")
	return true
}

// on gives the rendering of a day, made by the first request of the day.
func (shot *snapshot) on(day model.Date, s *Server) (*rendering, error) {
	if known := shot.rendered.Load(); known != nil && known.day == day {
		return known, nil
	}
	shot.drawing.Lock()
	defer shot.drawing.Unlock()
	if known := shot.rendered.Load(); known != nil && known.day == day {
		return known, nil
	}
	drawn, err := s.render(shot, day)
	if err != nil {
		return nil, err
	}
	shot.rendered.Store(drawn)
	return drawn, nil
}

func (s *Server) render(shot *snapshot, day model.Date) (*rendering, error) {
	n := len(shot.rows)
	drawn := &rendering{day: day, items: make([][]byte, n), attributes: make([]marketAttributes, n), returns: make([][]byte, n), tacKinds: make(tacKinds, n)}
	for i, row := range shot.rows {
		item := s.marketResource(shot.batch, row)
		drawn.attributes[i] = item.Attributes.(marketAttributes)
		var err error
		if drawn.items[i], err = encodeItem(item); err != nil {
			return nil, fmt.Errorf("encode series %d: %w", row.SeriesID, err)
		}
		if drawn.returns[i], err = encode(snapshotReturns(drawn.attributes[i])); err != nil {
			return nil, fmt.Errorf("encode the returns of series %d: %w", row.SeriesID, err)
		}
		drawn.tacKinds[i] = row.tacKind()
		drawn.bytes += len(drawn.items[i]) + len(drawn.returns[i]) + len(drawn.tacKinds[i])
	}
	meta, err := encode(s.marketMeta(shot.batch))
	if err != nil {
		return nil, fmt.Errorf("encode meta: %w", err)
	}
	drawn.meta = bytes.TrimSuffix(meta, []byte("}\n"))
	return drawn, nil
}

// row gives the position of a series, if it is alive at the cutoff.
func (shot *snapshot) row(id uint32) (int32, bool) {
	position, there := shot.positions[id]
	return position, there
}

// bodies are buffers for replies that are put together of rows: they are large,
// and gone as soon as they are sent.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// maxKeptBody keeps a rare enormous reply from staying in memory.
const maxKeptBody = 4 << 20

// assembled is a reply in a buffer that goes back once it is sent.
func assembled(build func(body []byte) []byte) reply {
	buffer := bodies.Get().(*[]byte)
	*buffer = build((*buffer)[:0])
	return reply{status: 200, body: *buffer, release: func() {
		if cap(*buffer) <= maxKeptBody {
			bodies.Put(buffer)
		}
	}}
}

// appendItems appends the data of a list and its meta with the kinds of the rows'
// cost rates, as yet without what the operation adds to meta and without the closing
// braces.
func (drawn *rendering) appendItems(body []byte, page []int32) []byte {
	body = append(body, `{"data":[`...)
	for i, row := range page {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, drawn.items[row]...)
	}
	body = append(body, `],"meta":`...)
	body = append(body, drawn.meta...)
	body = append(body, `,"tac_kinds":{`...)
	for _, row := range page {
		body = appendTACKind(body, drawn.tacKinds[row])
	}
	return endTACKinds(body)
}
