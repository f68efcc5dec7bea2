package query

import (
	"context"
	"net/http"
	"slices"
	"time"

	"cuota/model"
)

// familyIndexOperation gives the chained index of a family in one currency (RULES 7), up to
// the cutoff. Later days are left out, because only a part of the market has reported them.
// The name of the family may be in any case, with or without accents.
func (s *Server) familyIndexOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/families/{family_rar}/index", access: keyed, reads: anyBatch,
		params: []param{inPath(exact("family_rar", 200)), currency("currency", 20), day("from_date")},
		answer: s.familyIndex,
	}
}

// familyIndexMeta says which index the points belong to. Available is false if there are no
// points. An unknown family is shown under the requested name.
type familyIndexMeta struct {
	Family      string   `json:"family"`
	Currency    *string  `json:"currency"`
	Currencies  []string `json:"availableCurrencies"` // the one with most equity first
	Base        int      `json:"base"`
	Methodology string   `json:"methodology"`
	Available   bool     `json:"available"`
}

// indexPoint is the level of an index on a day, and its change in percent points since the
// point before. Change is nil for the base, and for the first point after a gap of more
// than seven days.
type indexPoint struct {
	Date   model.Date `json:"date"`
	Value  float64    `json:"value"`
	Change *float64   `json:"change,omitempty"`
}

func (s *Server) familyIndex(ctx context.Context, c *call) (reply, error) {
	meta := familyIndexMeta{Family: c.text("family_rar"), Currencies: []string{}, Base: 100, Methodology: "family_index_v1"}
	if asked := c.text("currency"); asked != "" {
		meta.Currency = &asked
	}
	points := []indexPoint{}
	if c.batch.AsOf != nil {
		if err := s.findFamily(ctx, c.batch, &meta); err != nil {
			return reply{}, err
		}
		if meta.Currency != nil && slices.Contains(meta.Currencies, *meta.Currency) {
			var err error
			if points, err = s.indexPoints(ctx, c, meta.Family, *meta.Currency); err != nil {
				return reply{}, err
			}
		}
	}
	meta.Available = len(points) > 0
	return okList(points, meta)
}

// findFamily sets the name of a family as the batch has it, its currencies, and the default
// currency if none was requested.
func (s *Server) findFamily(ctx context.Context, b *batch, meta *familyIndexMeta) error {
	type index struct {
		Family   string `ch:"family_rar"`
		Currency string `ch:"currency"`
	}
	found, err := rows[index](ctx, s.reader, "family_currencies",
		arg("batch", b.Number), arg("family", meta.Family), arg("to", b.AsOf.Format(time.DateOnly)))
	if err != nil || len(found) == 0 {
		return err
	}
	meta.Family = found[0].Family
	for _, of := range found {
		if of.Family == meta.Family { // another family may differ from it in case only
			meta.Currencies = append(meta.Currencies, of.Currency)
		}
	}
	if meta.Currency == nil {
		meta.Currency = &meta.Currencies[0]
	}
	return nil
}

func (s *Server) indexPoints(ctx context.Context, c *call, family, currency string) ([]indexPoint, error) {
	from := firstDay
	if date, given := c.date("from_date"); given {
		from = storable(date)
	}
	type level struct {
		Date   time.Time `ch:"date"`
		Value  float64   `ch:"value"`
		Change *float64  `ch:"change"`
	}
	levels, err := rows[level](ctx, s.reader, "family_index",
		arg("batch", c.batch.Number), arg("family", family), arg("currency", currency),
		arg("from", from.String()), arg("to", c.batch.AsOf.Format(time.DateOnly)))
	if err != nil {
		return nil, err
	}
	points := make([]indexPoint, len(levels))
	for i, l := range levels {
		points[i] = indexPoint{model.DateOf(l.Date), l.Value, l.Change}
	}
	return points, nil
}
