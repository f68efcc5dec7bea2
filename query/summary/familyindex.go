package summary

import (
	"context"
	"slices"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// FamilyIndex answers with the chained index of a family in one currency (RULES 7), up to the
// cutoff. Later days are left out, because only a part of the market has reported them. The
// name of the family may be in any case, with or without accents.
var FamilyIndex = operation.Endpoint[familyIndexParams, Index]{
	Path: "/api/families/{family_rar}/index",
	Check: func(_ model.Date, params *familyIndexParams) []httpapi.Violation {
		return operation.CheckRange(params.From, params.To)
	},
	Find: findFamilyIndex, Known: knownFamilyIndex, Table: familyIndexTable, Parts: []batch.Loader{familyIndexPart},
}

type familyIndexParams struct {
	Family   string                  `path:"family_rar" max:"200" example:"Balanceado moderado" doc:"Family of the regulator (familia_rar), percent-encoded, ignoring case and accents"`
	Currency operation.CurrencyParam `query:"currency" empty:"absent" example:"DOLAR" doc:"PESOS or CLP, DOLAR or USD, case-insensitive; by default the one in which the family holds most equity"`
	From     operation.DateParam     `query:"from_date" example:"2025-07-18" doc:"First day, inclusive, YYYY-MM-DD. Levels stay those of the whole chain."`
	To       operation.DateParam     `query:"to_date" doc:"Last day, inclusive, YYYY-MM-DD; not before from_date. By default the cutoff, which also stands for later days. An extension of this service."`
	operation.FormatParams
}

// IndexMeta says which index the points belong to. Available is false if there are no
// points. An unknown family is shown under the requested name.
type IndexMeta struct {
	Family      string   `json:"family"`
	Currency    *string  `json:"currency"`
	Currencies  []string `json:"availableCurrencies"` // the one with most equity first
	Base        int      `json:"base"`
	Methodology string   `json:"methodology"`
	Available   bool     `json:"available"`
}

// IndexPoint is the level of an index on a day, and its change in percent points since the
// point before. Change and its coverage are nil for the base, and for the first point after a gap of more
// than seven days.
type IndexPoint struct {
	Date   model.Date `json:"date"`
	Value  float64    `json:"value"`
	Change *float64   `json:"change,omitempty"`

	Coverage *facts.Coverage `json:"coverage,omitempty"`
}

// emptyIndexMeta is the meta of a request before its family is found.
func emptyIndexMeta(r *operation.Request[familyIndexParams]) IndexMeta {
	meta := IndexMeta{Family: r.Params.Family, Currencies: []string{}, Base: 100, Methodology: "family_index_v1"}
	if asked := string(r.Params.Currency); asked != "" {
		meta.Currency = &asked
	}
	return meta
}

// whichIndex returns the index that a request means. found reports whether the batch has it.
func whichIndex(ctx context.Context, r *operation.Request[familyIndexParams]) (meta IndexMeta, found bool, err error) {
	meta = emptyIndexMeta(r)
	if r.Batch.AsOf == nil {
		return meta, false, nil
	}
	err = findFamily(ctx, r.Pinned, &meta)
	return meta, meta.Currency != nil && slices.Contains(meta.Currencies, *meta.Currency), err
}

// familyIndexTable is the index as a table. It has no rows if the batch has no such index.
func familyIndexTable(ctx context.Context, r *operation.Request[familyIndexParams]) (operation.Table, error) {
	meta, found, err := whichIndex(ctx, r)
	if err != nil || !found {
		return operation.Table{Statement: "rows_family_index",
			Args: []any{sql.Arg("family", meta.Family), sql.Arg("currency", ""),
				sql.Arg("from", operation.FirstDay.String()), sql.Arg("to", operation.FirstDay.String())}}, err
	}
	return operation.Table{Statement: "rows_family_index", Args: indexArgs(r, meta)}, nil
}

func findFamilyIndex(ctx context.Context, r *operation.Request[familyIndexParams]) (Index, error) {
	meta, found, err := whichIndex(ctx, r)
	if err != nil {
		return Index{}, err
	}
	points := []IndexPoint{}
	if found {
		levels, err := operation.Rows[indexLevel](ctx, r.Pinned, "family_index", indexArgs(r, meta)...)
		if err != nil {
			return Index{}, err
		}
		points = make([]IndexPoint, len(levels))
		for i, l := range levels {
			points[i] = l.point()
		}
	}
	return indexOf(meta, points), nil
}

// Index is the points of an index, in order.
type Index = httpapi.List[IndexPoint, IndexMeta]

func indexOf(meta IndexMeta, points []IndexPoint) Index {
	meta.Available = len(points) > 0
	return httpapi.ListOf(points, meta)
}

// heldFamily is a family as it is kept in memory: its currencies in the order of meta, and the
// points of the index in each.
type heldFamily struct {
	currencies []string
	points     map[string][]IndexPoint
}

// familyIndexPart keeps the indices of all families of the current batch in memory, by the name
// of the family as the batch has it.
var familyIndexPart = batch.NewOptionalPart("family_index",
	func(ctx context.Context, s batch.Source) (map[string]*heldFamily, int, error) {
		p, cutoff := operation.PinnedBy(s), s.Batch.AsOf.Format(time.DateOnly)
		currencies, err := operation.Rows[familyCurrency](ctx, p, "family_currencies", sql.Arg("family", ""),
			sql.Arg("to", cutoff))
		if err != nil {
			return nil, 0, err
		}
		families := make(map[string]*heldFamily)
		for _, of := range currencies {
			if families[of.Family] == nil {
				families[of.Family] = &heldFamily{points: make(map[string][]IndexPoint)}
			}
			families[of.Family].currencies = append(families[of.Family].currencies, of.Currency)
		}
		levels, err := operation.Rows[indexLevel](ctx, p, "family_index", sql.Arg("family", ""),
			sql.Arg("currency", ""),
			sql.Arg("from", operation.FirstDay.String()), sql.Arg("to", cutoff))
		if err != nil {
			return nil, 0, err
		}
		for _, l := range levels {
			if family := families[l.Family]; family != nil {
				family.points[l.Currency] = append(family.points[l.Currency], l.point())
			}
		}
		size := unsafe.Sizeof(IndexPoint{}) + unsafe.Sizeof(facts.Coverage{}) + 2*unsafe.Sizeof(float64(0))
		return families, len(levels) * int(size), nil
	})

// knownFamilyIndex has the index if the request has the name of the family as the batch has it.
func knownFamilyIndex(r *operation.Request[familyIndexParams]) (Index, bool, error) {
	families, _ := familyIndexPart.Of(r.Batch)
	family := families[r.Params.Family]
	if family == nil {
		return Index{}, false, nil
	}
	meta := emptyIndexMeta(r)
	meta.Currencies = family.currencies
	if meta.Currency == nil {
		meta.Currency = &family.currencies[0]
	}
	points, from := family.points[*meta.Currency], r.Params.From.Or(operation.FirstDay)
	if points == nil {
		points = []IndexPoint{} // which is not null in JSON
	}
	dated := func(point IndexPoint, day model.Date) int { return point.Date.Compare(day) }
	first, _ := slices.BinarySearchFunc(points, from, dated)
	points = points[first:]
	if to := r.Params.To; to.Given {
		after, there := slices.BinarySearchFunc(points, to.Date, dated)
		if there {
			after++
		}
		points = points[:after]
	}
	return indexOf(meta, points), true, nil
}

// familyCurrency is a row of family_currencies.sql.
type familyCurrency struct {
	Family   string `ch:"family_rar"`
	Currency string `ch:"currency"`
}

// indexLevel is a row of family_index.sql.
type indexLevel struct {
	Family   string    `ch:"family_rar"`
	Currency string    `ch:"currency"`
	Date     time.Time `ch:"date"`
	Value    float64   `ch:"value"`
	Change   *float64  `ch:"change"`
	Series   uint32    `ch:"series"`
	OfSeries uint32    `ch:"of_series"`
	Share    *float64  `ch:"equity_share"`
}

func (l indexLevel) point() IndexPoint {
	point := IndexPoint{Date: model.DateOf(l.Date), Value: l.Value, Change: l.Change}
	if l.Change != nil {
		point.Coverage = &facts.Coverage{Series: uint64(l.Series), OfSeries: uint64(l.OfSeries),
			EquityShare: l.Share}
	}
	return point
}

// findFamily sets the name of a family as the batch has it, its currencies, and the default
// currency if none was requested.
func findFamily(ctx context.Context, p operation.Pinned, meta *IndexMeta) error {
	found, err := operation.Rows[familyCurrency](ctx, p, "family_currencies", sql.Arg("family", meta.Family),
		sql.Arg("to", p.Batch.AsOf.Format(time.DateOnly)))
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

// indexArgs returns the arguments of family_index.sql for an index that the batch has.
func indexArgs(r *operation.Request[familyIndexParams], meta IndexMeta) []any {
	to := model.DateOf(*r.Batch.AsOf)
	if asked := r.Params.To.Or(to); asked.Compare(to) < 0 {
		to = asked
	}
	return []any{sql.Arg("family", meta.Family), sql.Arg("currency", *meta.Currency),
		sql.Arg("from", r.Params.From.Or(operation.FirstDay).String()), sql.Arg("to", to.String())}
}
