package funds

import (
	"context"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// BookValues is how replies name the source of an investment fund's quotes: the valor libro
// (book value per quota), which is never a market price (RULES 11).
const BookValues = "cmf_valor_libro"

// FIInstruments lists the instruments of investment funds, by name of the fund and series.
// They are the series with published values, and the funds without any such series.
var FIInstruments = operation.Endpoint[fiInstrumentsParams, InstrumentList]{
	Path: "/api/fi/instruments",
	Find: findInstruments,
}

type fiInstrumentsParams struct {
	Manager        *int64 `query:"provider_id" min:"0" max:"4294967295" doc:"Id of a manager"`
	ETF            *bool  `query:"is_etf" doc:"Exchange-traded or not, by curated flag: true or false. Either leaves out the funds of which it is unknown."`
	RegulatoryType string `query:"regulatory_type" null:"true" enum:"FI,RES,FINRE" doc:"RES redeemable, FINRE not redeemable, FI where the register does not tell"`
	Status         string `query:"status" enum:"active,inactive,unknown,all" default:"first" example:"unknown" doc:"active: in force, with a value of the 95 days up to the cutoff; inactive: no longer in force; unknown: neither is known"`
	Text           string `query:"q" max:"200" example:"etf" doc:"What to find, as q of the screener"`
	Limit          int64  `query:"limit" min:"1" max:"500" default:"100" example:"1" doc:"Rows of the page"`
	Offset         int64  `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Rows to skip, after filtering"`
	operation.BatchParams
}

// FIInstrument answers with one instrument by its id, even if the list leaves it out.
var FIInstrument = operation.Endpoint[operation.InstrumentParams, OneInstrument]{
	Path: "/api/fi/instruments/{instrument_id}",
	Find: findOneInstrument, Parts: []batch.Loader{instrumentsPart},
}

// instrumentRow is an instrument as the statements return it.
type instrumentRow struct {
	ID             uuid.UUID  `ch:"instrument_id"`
	SeriesID       *uint32    `ch:"series_id"`
	FundID         uint32     `ch:"fund_id"`
	RUN            string     `ch:"run"`
	Serie          *string    `ch:"serie"`
	Fund           string     `ch:"fund"`
	ManagerID      *uint32    `ch:"manager_id"`
	Manager        *string    `ch:"manager"`
	Vehicle        string     `ch:"vehicle"`
	RegulatoryType string     `ch:"regulatory_type"`
	ETF            *bool      `ch:"is_etf"`
	ETFURL         *string    `ch:"etf_source_url"`
	ETFSHA256      *string    `ch:"etf_source_sha256"`
	Status         string     `ch:"status"`
	First          *time.Time `ch:"first_date"`
	Last           *time.Time `ch:"last_date"`
	valuesRow
}

// valuesRow is what was published about a series for one day.
type valuesRow struct {
	Currency      *string          `ch:"currency"`
	BookValue     *decimal.Decimal `ch:"book_value"`
	EconomicValue *decimal.Decimal `ch:"economic_value"`
	Equity        *decimal.Decimal `ch:"equity"`
	TotalAssets   *decimal.Decimal `ch:"total_assets"`
	Contributors  *uint32          `ch:"contributors"`
	Institutional *uint32          `ch:"institutional"`
	Agency        *string          `ch:"agency"`
}

// FIValues holds the values of a series on a day. Valor libro and valor económico are for
// one quota, equity and total assets are for the whole series. All are in its currency.
type FIValues struct {
	Date          *model.Date       `json:"date"`
	BookValue     *operation.Amount `json:"valor_libro"`
	EconomicValue *operation.Amount `json:"valor_economico"`
	Equity        *operation.Amount `json:"patrimonio_neto"`
	TotalAssets   *operation.Amount `json:"activo_total"`
	Contributors  *uint32           `json:"n_aportantes"`
	Institutional *uint32           `json:"n_aportantes_institucionales"`
	Agency        *string           `json:"agencia"`
}

// on returns the values with their date.
func (v valuesRow) on(date *time.Time) FIValues {
	return FIValues{
		Date: operation.DateOf(date), BookValue: operation.AmountOf(v.BookValue),
		EconomicValue: operation.AmountOf(v.EconomicValue), Equity: operation.AmountOf(v.Equity),
		TotalAssets: operation.AmountOf(v.TotalAssets), Contributors: v.Contributors, Institutional: v.Institutional,
		Agency: v.Agency,
	}
}

// Instrument is a series of an investment fund, or a fund of which no series is known.
type Instrument struct {
	Name           string      `json:"name"`
	FundName       string      `json:"fund_name"`
	FundID         string      `json:"fund_id"` // as concept_id in the lists of funds
	RUN            string      `json:"run"`
	Serie          *string     `json:"serie"`
	ProviderID     *string     `json:"provider_id"`
	Administrator  *string     `json:"administrator"`
	Vehicle        string      `json:"vehicle"`
	RegulatoryType string      `json:"regulatory_type"`
	ETF            *bool       `json:"is_etf"` // nil if unknown
	ETFSource      *evidence   `json:"etf_source"`
	Status         string      `json:"status"`
	Currency       *string     `json:"currency"`
	FirstDate      *model.Date `json:"first_date"`
	LastDay        *FIValues   `json:"last_day"` // the latest day up to the cutoff
	QuotaSource    string      `json:"quota_source"`
}

// evidence names the document that proves a fact that was entered by hand.
type evidence struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

func (row instrumentRow) resource() httpapi.Resource[Instrument] {
	out := Instrument{
		Name: row.Fund, FundName: row.Fund, FundID: operation.IDText(row.FundID), RUN: row.RUN, Serie: row.Serie,
		ProviderID:    operation.Mapped(row.ManagerID, operation.IDText),
		Administrator: row.Manager, Vehicle: row.Vehicle, RegulatoryType: row.RegulatoryType, ETF: row.ETF,
		Status:   row.Status,
		Currency: operation.IsoCurrency(row.Currency), FirstDate: operation.DateOf(row.First), QuotaSource: BookValues,
	}
	if row.Serie != nil {
		out.Name += " Serie " + *row.Serie
	}
	if row.ETFURL != nil && row.ETFSHA256 != nil {
		out.ETFSource = &evidence{*row.ETFURL, *row.ETFSHA256}
	}
	if row.Last != nil {
		out.LastDay = new(row.on(row.Last))
	}
	return httpapi.NewResource(row.ID.String(), "fi_instrument", out)
}

// FundRUN returns the RUN of the fund, parsed.
func (row instrumentRow) FundRUN() model.RUN {
	run, _ := model.ParseRUN(row.RUN) // it was written by this program
	return run
}

// fiMeta is the part of meta about the batch and the units.
type fiMeta struct {
	BatchID string      `json:"batch_id"`
	AsOf    *model.Date `json:"as_of_date"` // the cutoff, after which no values count; nil if there is none
	Units   fiUnits     `json:"units"`
}

type fiUnits struct {
	PerQuota  string `json:"valor_libro"`
	Appraised string `json:"valor_economico"`
	Equity    string `json:"patrimonio_neto"`
	Assets    string `json:"activo_total"`
}

func fiMetaOf(b *batch.Batch) fiMeta {
	const perQuota, whole = "currency per quota", "full units of the currency"
	return fiMeta{b.ID, operation.DateOf(b.AsOf), fiUnits{perQuota, perQuota, whole, whole}}
}

// InstrumentList is the reply of FIInstruments.
type InstrumentList = httpapi.List[httpapi.Resource[Instrument], InstrumentsMeta]

// InstrumentsMeta is the meta of FIInstruments.
type InstrumentsMeta struct {
	Paging
	fiMeta
}

// OneInstrument is the reply of FIInstrument.
type OneInstrument struct {
	Data httpapi.Resource[Instrument] `json:"data"`
	Meta fiMeta                       `json:"meta"`
}

// Paging is the part of meta that says which rows of a list the reply holds.
type Paging struct {
	Total  uint64 `json:"total"` // of the whole list
	Limit  int64  `json:"limit"`
	Offset int64  `json:"offset"`
}

func findInstruments(ctx context.Context, r *operation.Request[fiInstrumentsParams]) (list InstrumentList, err error) {
	type listed struct {
		Total uint64 `ch:"total"`
		instrumentRow
	}
	search, ids := model.NewSearch(r.Params.Text), []uuid.UUID{}
	if !search.Empty() {
		named, err := operation.Rows[struct {
			ID    uuid.UUID `ch:"instrument_id"`
			Fund  string    `ch:"fund"`
			RUN   string    `ch:"run"`
			Serie string    `ch:"serie"`
		}](ctx, r.Pinned, "fi_instrument_names")
		if err != nil {
			return list, err
		}
		index := model.SearchIndex{}
		for _, of := range named {
			index.Add(of.Fund, of.RUN, of.Serie, of.ID.String())
		}
		index.Find(search, func(i int, _ model.Likeness) { ids = append(ids, named[i].ID) })
	}
	found, err := operation.Rows[listed](ctx, r.Pinned, "fi_instruments",
		sql.Arg("provider_id", operation.Nullable(r.Params.Manager)),
		sql.Arg("is_etf", operation.Nullable(r.Params.ETF)),
		sql.Arg("regulatory_type", r.Params.RegulatoryType), sql.Arg("status", r.Params.Status),
		sql.Arg("searched", !search.Empty()), sql.Arg("found", ids),
		sql.Arg("limit", r.Params.Limit), sql.Arg("offset", r.Params.Offset))
	if err != nil {
		return list, err
	}
	data, meta := []httpapi.Resource[Instrument]{},
		InstrumentsMeta{Paging{0, r.Params.Limit, r.Params.Offset}, fiMetaOf(r.Batch)}
	for _, row := range found {
		meta.Total = row.Total
		if row.RUN != "" { // an empty page has one row, which carries the total
			data = append(data, row.resource())
		}
	}
	return InstrumentList{Data: data, Meta: meta,
		Listing: httpapi.Listing{Total: meta.Total,
			Next: r.Call.NextPage(r.Params.Offset, len(data), meta.Total, r.Batch.ID)}}, nil
}

func findOneInstrument(ctx context.Context, r *operation.Request[operation.InstrumentParams]) (OneInstrument, error) {
	row, err := FindInstrument(ctx, r.Pinned, r.Params.Instrument)
	if err != nil {
		return OneInstrument{}, err
	}
	return OneInstrument{row.resource(), fiMetaOf(r.Batch)}, nil
}

// instrumentsPart keeps the instruments of the current batch in memory, by id.
var instrumentsPart = batch.NewOptionalPart("instruments",
	func(ctx context.Context, s batch.Source) (map[uuid.UUID]instrumentRow, int, error) {
		found, err := instrumentRows(ctx, operation.PinnedBy(s), true)
		instruments := make(map[uuid.UUID]instrumentRow, len(found))
		for _, row := range found {
			instruments[row.ID] = row
		}
		// about half of it is behind pointers
		return instruments, len(found) * 2 * int(unsafe.Sizeof(instrumentRow{})), err
	})

func instrumentRows(ctx context.Context, p operation.Pinned, all bool, ids ...string) ([]instrumentRow, error) {
	return operation.Rows[instrumentRow](ctx, p, "fi_instrument", sql.Arg("instruments", append([]string{}, ids...)),
		sql.Arg("all_instruments", all))
}

// FindInstrument returns the instrument that the path names. It fails with 404 if the batch
// does not know it.
func FindInstrument(ctx context.Context, p operation.Pinned, id operation.InstrumentID) (instrumentRow, error) {
	instruments, _ := instrumentsPart.Of(p.Batch)
	if row, there := instruments[id.UUID]; there {
		return row, nil
	}
	found, err := instrumentRows(ctx, p, false, id.String())
	switch {
	case err != nil:
		return instrumentRow{}, err
	case len(found) == 0:
		return instrumentRow{}, httpapi.NotFound(
			"There is no instrument of this id. GET /api/fi/instruments?status=all lists them.")
	}
	return found[0], nil
}
