package query

import (
	"context"
	"slices"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"
)

// familyIndex gives the chained index of a family in one currency (RULES 7), up to the
// cutoff. Later days are left out, because only a part of the market has reported them. The
// name of the family may be in any case, with or without accents.
var familyIndex = endpoint[familyIndexParams]{
	path:   "/api/families/{family_rar}/index",
	answer: answerFamilyIndex, table: familyIndexTable,
}

type familyIndexParams struct {
	Family   string        `path:"family_rar" max:"200" example:"Balanceado moderado" doc:"familia_rar, percent-encoded, whatever case and accents"`
	Currency currencyParam `query:"currency" empty:"absent" example:"PESOS" doc:"PESOS or CLP, DOLAR or USD, whatever case; by default the one in which the family holds most equity"`
	From     dateParam     `query:"from_date" null:"false" example:"2025-07-18" doc:"First day, inclusive, YYYY-MM-DD. Levels stay those of the whole chain."`
	formatParams
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

// whichIndex gives the index that a request means. found tells whether the batch has it.
func whichIndex(ctx context.Context, r *request[familyIndexParams]) (meta familyIndexMeta, found bool, err error) {
	meta = familyIndexMeta{Family: r.params.Family, Currencies: []string{}, Base: 100, Methodology: "family_index_v1"}
	if asked := string(r.params.Currency); asked != "" {
		meta.Currency = &asked
	}
	if r.batch.AsOf == nil {
		return meta, false, nil
	}
	err = findFamily(ctx, r.pinned, &meta)
	return meta, meta.Currency != nil && slices.Contains(meta.Currencies, *meta.Currency), err
}

// familyIndexTable is the index as a table. It has no rows if the batch has no such index.
func familyIndexTable(ctx context.Context, r *request[familyIndexParams]) (table, error) {
	meta, found, err := whichIndex(ctx, r)
	if err != nil || !found {
		return table{"rows_family_index", []any{sql.Arg("family", meta.Family), sql.Arg("currency", ""),
			sql.Arg("from", firstDay.String()), sql.Arg("to", firstDay.String())}}, err
	}
	return table{"rows_family_index", indexArgs(r, meta)}, nil
}

func answerFamilyIndex(ctx context.Context, r *request[familyIndexParams]) (httpapi.Reply, error) {
	meta, found, err := whichIndex(ctx, r)
	if err != nil {
		return httpapi.Reply{}, err
	}
	points := []indexPoint{}
	if found {
		if points, err = indexPoints(ctx, r, meta); err != nil {
			return httpapi.Reply{}, err
		}
	}
	meta.Available = len(points) > 0
	return httpapi.List(points, meta)
}

// findFamily sets the name of a family as the batch has it, its currencies, and the default
// currency if none was requested.
func findFamily(ctx context.Context, p pinned, meta *familyIndexMeta) error {
	type index struct {
		Family   string `ch:"family_rar"`
		Currency string `ch:"currency"`
	}
	found, err := rows[index](ctx, p, "family_currencies", sql.Arg("family", meta.Family), sql.Arg("to", p.batch.AsOf.Format(time.DateOnly)))
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

// indexArgs gives the arguments of family_index.sql for an index that the batch has.
func indexArgs(r *request[familyIndexParams], meta familyIndexMeta) []any {
	return []any{sql.Arg("family", meta.Family), sql.Arg("currency", *meta.Currency),
		sql.Arg("from", r.params.From.or(firstDay).String()), sql.Arg("to", r.batch.AsOf.Format(time.DateOnly))}
}

func indexPoints(ctx context.Context, r *request[familyIndexParams], meta familyIndexMeta) ([]indexPoint, error) {
	type level struct {
		Date   time.Time `ch:"date"`
		Value  float64   `ch:"value"`
		Change *float64  `ch:"change"`
	}
	levels, err := rows[level](ctx, r.pinned, "family_index", indexArgs(r, meta)...)
	if err != nil {
		return nil, err
	}
	points := make([]indexPoint, len(levels))
	for i, l := range levels {
		points[i] = indexPoint{model.DateOf(l.Date), l.Value, l.Change}
	}
	return points, nil
}
