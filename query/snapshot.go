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

// snapshot holds the parts of one batch that are requested most, so that ClickHouse need
// not be asked for them: the series alive at the cutoff by ascending id, for screener,
// compare and returns, with their JSON and the columns by which they are filtered and
// sorted; and the replies in ready. It is loaded once, when the batch is found published,
// and never changes. It selects the same rows as sql/queries/market.sql and all_funds.sql.
type snapshot struct {
	batch     *batch
	rows      []marketRow
	positions map[uint32]int32 // index in rows, by id
	columns   columns
	orders    map[string]order // by the values of the parameter sort
	ready     *ready

	// The JSON is valid for one day, because replies contain ages in days.
	rendered atomic.Pointer[rendering]
	drawing  sync.Mutex
}

// rendering is the JSON of a snapshot's rows on one day.
type rendering struct {
	day        model.Date
	items      [][]byte           // for compare and screener, one per row
	attributes []marketAttributes // from which items were encoded
	returns    [][]byte           // complete replies of returns, one per row
	meta       []byte             // marketMeta, without its closing brace
	tacKinds   tacKinds           // one per row
	bytes      int                // size of all JSON
}

// loadSnapshot reads the rows of a batch and renders them for today. It returns nil if the
// batch has no cutoff, is damaged, or would exceed SnapshotBytes: ClickHouse answers then.
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
	// Reading and encoding leave several times as much garbage. It is returned to the
	// operating system now, because batches come only a few times a day.
	debug.FreeOSMemory()
	s.log.Info().Uint64("batch", b.Number).Int("series", len(found)).Int("bytes", size).
		Int("market_bytes", drawn.bytes).Int("catalogue_bytes", shot.ready.catalogueBytes).Int("all_funds_bytes", shot.ready.listing.bytes).
		Dur("took_ms", time.Since(began)).
		Msg("the published batch is in memory")
	return shot, nil
}

// tooLarge tells whether so many bytes of JSON exceed the limit, and logs it.
func (s *Server) tooLarge(size int) bool {
	if size <= s.config.SnapshotBytes {
		return false
	}
	s.log.Warn().Int("bytes", size).Int("allowed", s.config.SnapshotBytes).
		Msg("the published batch is too large to be kept in memory; ClickHouse answers every request")
	return true
}

// on gives the rendering for a day. The first request of the day makes it.
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

// row gives the index of a series in rows, and false if it is not alive at the cutoff.
func (shot *snapshot) row(id uint32) (int32, bool) {
	position, there := shot.positions[id]
	return position, there
}

// bodies are buffers for replies that are assembled from rows. They are large, and only
// needed until the reply is sent.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// maxKeptBody is the largest buffer in bytes that is reused, so that a rare huge reply does
// not stay in memory.
const maxKeptBody = 4 << 20

// assembled makes a reply in a buffer that is reused after the reply is sent.
func assembled(build func(body []byte) []byte) reply {
	buffer := bodies.Get().(*[]byte)
	*buffer = build((*buffer)[:0])
	return reply{status: 200, body: *buffer, release: func() {
		if cap(*buffer) <= maxKeptBody {
			bodies.Put(buffer)
		}
	}}
}

// appendItems appends the data of a list, and its meta with tac_kinds. It leaves meta and
// the whole object open, because the operation appends more members.
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
