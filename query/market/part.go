package market

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"cuota/internal/bounded"
	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// market holds the series alive at the cutoff by ascending id, for screener, compare and
// returns, with their JSON and what they are filtered and sorted by. It selects the same rows
// as sql/queries/market.sql.
type market struct {
	batch     *batch.Batch
	Rows      []marketRow
	Positions map[uint32]int32 // index in rows, by id
	selector

	// The JSON is valid for one day, because replies contain ages in days.
	rendered atomic.Pointer[rendering]
	renders  sync.Mutex // one rendering is made at a time
}

// rendering is the JSON of the rows on one day.
type rendering struct {
	day        model.Date
	items      [][]byte           // for compare and screener, one per row
	attributes []Attributes       // from which items were encoded
	Returns    [][]byte           // complete replies of returns, one per row
	meta       []byte             // Meta, without its closing brace
	tacKinds   operation.TACKinds // one per row
	encoded    [][]byte           // of tacKinds
	chosen     bounded.Cache[string, chosenItems]
	bytes      int // size of all JSON
}

// Part keeps the market of the current batch in memory.
var Part = batch.NewPart("market", func(ctx context.Context, s batch.Source) (*market, int, error) {
	p := operation.PinnedBy(s)
	found, _, err := readMarket(ctx, p, &ScreenerParams{Sort: "id", Order: "asc", Limit: int64(s.Batch.SeriesCount)},
		nil)
	if err != nil {
		return nil, 0, err
	}
	if len(found) != int(s.Batch.SeriesCount) {
		return nil, 0, &sql.ReadError{Statement: "market",
			Err: fmt.Errorf("batch %d has %d series, but %d were read", s.Batch.Number, s.Batch.SeriesCount,
				len(found))}
	}
	m := &market{batch: s.Batch, Rows: found, Positions: make(map[uint32]int32, len(found)),
		selector: selectorOf(found)}
	for i, row := range found {
		m.Positions[row.SeriesID] = int32(i)
	}
	today, err := m.on(s.Today)
	if err != nil {
		return nil, 0, err
	}
	return m, today.bytes, nil
})

// Rendered returns the market of a batch and its JSON of today. The market is nil if the
// batch is not in memory.
func Rendered(p operation.Pinned) (*market, *rendering, error) {
	m, there := Part.Of(p.Batch)
	if !there {
		return nil, nil, nil
	}
	today, err := m.on(p.Today)
	return m, today, err
}

// on returns the rendering for a day. The first request of the day makes it.
func (m *market) on(day model.Date) (*rendering, error) {
	if known := m.rendered.Load(); known != nil && known.day == day {
		return known, nil
	}
	m.renders.Lock()
	defer m.renders.Unlock()
	if known := m.rendered.Load(); known != nil && known.day == day {
		return known, nil
	}
	rendered, err := m.render(day)
	if err != nil {
		return nil, err
	}
	m.rendered.Store(rendered)
	return rendered, nil
}

func (m *market) render(day model.Date) (*rendering, error) {
	n, p := len(m.Rows), operation.Pinned{Batch: m.batch, Today: day}
	r := &rendering{day: day, items: make([][]byte, n), attributes: make([]Attributes, n), Returns: make([][]byte, n),
		tacKinds: make(operation.TACKinds, n), encoded: make([][]byte, n),
		chosen: bounded.OfEntries[string, chosenItems](mostChosen)}
	for i, row := range m.Rows {
		item := marketResource(p, row)
		r.attributes[i] = item.Attributes
		var err error
		if r.items[i], err = httpapi.EncodePart(item); err != nil {
			return nil, fmt.Errorf("encode series %d: %w", row.SeriesID, err)
		}
		if r.Returns[i], err = httpapi.Encode(returnsAtCutoff(r.attributes[i])); err != nil {
			return nil, fmt.Errorf("encode the returns of series %d: %w", row.SeriesID, err)
		}
		r.tacKinds[i] = row.tacKind()
		r.encoded[i] = r.tacKinds[i].Encoded()
		r.bytes += len(r.items[i]) + len(r.Returns[i]) + 2*len(r.encoded[i])
	}
	meta, err := httpapi.Encode(marketMetaOf(p))
	if err != nil {
		return nil, fmt.Errorf("encode meta: %w", err)
	}
	r.meta = bytes.TrimSuffix(meta, []byte("}\n"))
	return r, nil
}

// appendItems appends the data of a list, and its meta with tac_kinds. items are those of the page; nil: with all
// attributes. It leaves meta and the whole object open, because the operation appends more members.
func (r *rendering) appendItems(body []byte, page []int32, items [][]byte) []byte {
	body = append(body, `{"data":[`...)
	for i, row := range page {
		if i > 0 {
			body = append(body, ',')
		}
		if items != nil {
			body = append(body, items[i]...)
		} else {
			body = append(body, r.items[row]...)
		}
	}
	body = append(body, `],"meta":`...)
	body = append(body, r.meta...)
	body = append(body, `,"tac_kinds":{`...)
	for _, row := range page {
		body = operation.AppendTACKind(body, r.encoded[row])
	}
	return operation.EndTACKinds(body)
}

// chosenItems are items with chosen attributes, one for each row; nil until somebody asks for it.
type chosenItems []atomic.Pointer[[]byte]

// Clients repeat the same few choices of attributes. A rendering keeps the items of mostChosen of them, those that have
// at most longestChosen bytes: at most 24 MB for 3,000 series.
const mostChosen, longestChosen = 16, 500

// itemsOf returns the items of a page with chosen attributes, and nil if all are chosen.
func (r *rendering) itemsOf(page []int32, fields operation.FieldsParam) ([][]byte, error) {
	if !fields.Given() {
		return nil, nil
	}
	known, there := r.chosen.Known(fields.String())
	if !there {
		known = r.chosen.KeepFirst(fields.String(), make(chosenItems, len(r.items)))
	}
	items := make([][]byte, len(page))
	for i, row := range page {
		if item := known[row].Load(); item != nil {
			items[i] = *item
			continue
		}
		item, err := fields.Item(r.items[row])
		if err != nil {
			return nil, err
		}
		if items[i] = item; len(item) <= longestChosen {
			known[row].Store(&item)
		}
	}
	return items, nil
}

// RatedReturns are price returns in accounting currency, with the regulator's rating.
type RatedReturns struct {
	facts.ReturnAttributes
	Spheres facts.Spheres `json:"cmf_spheres"`
}

// ReturnsOf returns the returns of the row at the cutoff.
func (r *rendering) ReturnsOf(row int32) RatedReturns {
	return RatedReturns{r.attributes[row].Returns, r.attributes[row].Spheres}
}

// resource returns a row as an item.
func (r *rendering) resource(row int32) Resource {
	return httpapi.NewResource(r.attributes[row].SerieID, "fund_comparison", r.attributes[row])
}

// returnsAtCutoff returns the reply of returns at the cutoff for a series of the market.
func returnsAtCutoff(shown Attributes) httpapi.Item[RatedReturns] {
	return httpapi.Item[RatedReturns]{Data: httpapi.NewResource(shown.SerieID, "real_asset_returns",
		RatedReturns{shown.Returns, shown.Spheres})}
}
