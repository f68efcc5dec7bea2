package series

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// The endpoints of this file give the page of a series what no operation of the API has.

type pageSeriesParams struct {
	operation.AssetParams
	operation.AsOfParams
}

func checkPageSeries(today model.Date, params *pageSeriesParams) []httpapi.Violation {
	return operation.CheckAsOf(today, params.AsOf)
}

// until is the last day that a page at this date shows: by default the cutoff.
func (p *pageSeriesParams) until(of operation.Pinned) model.Date {
	if p.AsOf.Given {
		return p.AsOf.Date
	}
	if cutoff := operation.DateOf(of.Batch.AsOf); cutoff != nil {
		return *cutoff
	}
	return operation.LastDayOfAll
}

// catalogueDate is the date of files whose dates are not those of quotas: by default that of the
// newest one.
func (p *pageSeriesParams) catalogueDate() model.Date { return p.AsOf.Or(operation.LastDayOfAll) }

// PageSeries gives what a series is, alive or closed.
var PageSeries = operation.Endpoint[pageSeriesParams]{
	Path: "/pages/series/{asset_id}", ForPages: true, Check: checkPageSeries, Answer: answerPageSeries,
	FromMemory: pageSeriesFromMemory, Parts: []batch.Loader{seriesPagesPart, past.Part},
}

// pageSeriesRow is a row of page_series.sql.
type pageSeriesRow struct {
	Fund          *string          `ch:"fund"`
	Manager       *string          `ch:"manager"`
	Vehicle       *string          `ch:"vehicle"`
	FundEnded     *time.Time       `ch:"fund_ended"`
	Category      *string          `ch:"category"`
	Family        *string          `ch:"family"`
	InvestorClass *string          `ch:"investor_class"`
	APV           *bool            `ch:"apv"`
	Alive         *bool            `ch:"alive"`
	First         *time.Time       `ch:"first_date"`
	Last          *time.Time       `ch:"last_date"`
	Quota         *decimal.Decimal `ch:"quota"`
	Equity        *decimal.Decimal `ch:"equity"`
	Shareholders  *uint32          `ch:"shareholders"`
	Currency      *string          `ch:"currency"`
	TAC           *float64         `ch:"tac"`
	TACKind       *string          `ch:"tac_kind"`
	TACDate       *time.Time       `ch:"tac_date"`
}

func answerPageSeries(ctx context.Context, r *operation.Request[pageSeriesParams]) (httpapi.Reply, error) {
	if held := heldPageOf(r.Pinned, r.Params.Asset); held != nil && r.Params.AsOf.Given {
		row, there, err := held.on(ctx, r.Pinned, operation.Storable(r.Params.AsOf.Date))
		if err != nil {
			return httpapi.Reply{}, err
		}
		if there {
			return pageSeriesReply(held.series(r.Pinned, r.Params.Asset), row)
		}
	}
	known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	found, err := operation.Rows[pageSeriesRow](ctx, r.Pinned, "page_series", sql.Arg("series_id", known.ID), sql.Arg("run", known.RUN),
		sql.Arg("as_of", operation.Storable(r.Params.until(r.Pinned)).String()), sql.Arg("tac_as_of", r.Params.catalogueDate().String()))
	if err != nil {
		return httpapi.Reply{}, err
	}
	var row pageSeriesRow
	if len(found) > 0 {
		row = found[0]
	}
	return pageSeriesReply(known, row)
}

// pageSeriesFromMemory answers at the cutoff.
func pageSeriesFromMemory(r *operation.Request[pageSeriesParams]) (httpapi.Reply, bool, error) {
	held := heldPageOf(r.Pinned, r.Params.Asset)
	if held == nil || r.Params.AsOf.Given {
		return httpapi.Reply{}, false, nil
	}
	reply, err := pageSeriesReply(held.series(r.Pinned, r.Params.Asset), held.row)
	return reply, true, err
}

func pageSeriesReply(known Series, row pageSeriesRow) (httpapi.Reply, error) {
	return httpapi.JSON(struct {
		ID            string      `json:"id"`
		RUN           string      `json:"run"`
		Serie         string      `json:"serie"`
		Names         []string    `json:"names"`    // the newest first
		Currency      *string     `json:"currency"` // accounting currency at the date
		Fund          *string     `json:"fund"`
		Manager       *string     `json:"manager"`
		Vehicle       *string     `json:"vehicle"`
		FundEnded     *model.Date `json:"fund_ended"`
		Category      *string     `json:"category"`
		Family        *string     `json:"family"`
		InvestorClass *string     `json:"investor_class"`
		APV           *bool       `json:"apv"`
		Alive         bool        `json:"alive"` // at the cutoff
		First         *model.Date `json:"first_date"`
		Last          *model.Date `json:"last_date"`
		Quota         *float64    `json:"quota"`  // of the last date
		Equity        *float64    `json:"equity"` // full units of the currency
		Shareholders  *uint32     `json:"shareholders"`
		TAC           *float64    `json:"tac"` // fraction
		TACKind       *string     `json:"tac_kind"`
		TACDate       *model.Date `json:"tac_date"`
	}{
		known.public(), known.run(), known.Serie, known.names.Names, row.Currency, row.Fund, row.Manager, row.Vehicle, operation.DateOf(row.FundEnded),
		row.Category, row.Family, row.InvestorClass, row.APV, row.Alive != nil && *row.Alive, operation.DateOf(row.First), operation.DateOf(row.Last),
		operation.Mapped(row.Quota, decimal.Decimal.InexactFloat64), operation.Mapped(row.Equity, decimal.Decimal.InexactFloat64), row.Shareholders,
		row.TAC, row.TACKind, operation.DateOf(row.TACDate),
	})
}

// PageEvents gives what happened to a series, the newest first.
var PageEvents = operation.Endpoint[pageSeriesParams]{
	Path: "/pages/series/{asset_id}/events", ForPages: true, Check: checkPageSeries, Answer: answerPageEvents,
	FromMemory: pageEventsFromMemory, Parts: []batch.Loader{seriesPagesPart},
}

// mostEvents is how many events a page shows.
const mostEvents = 100

// pageEvent is a row of page_series_events.sql.
type pageEvent struct {
	SeriesID   uint32    `ch:"series_id" json:"-"`
	Kind       string    `ch:"kind" json:"kind"`
	On         time.Time `ch:"date" json:"-"`
	OtherRUN   string    `ch:"other_run" json:"other_run"`
	OtherSerie string    `ch:"other_serie" json:"other_serie"`
	OtherID    *uint32   `ch:"other_id" json:"other_id"`
	Factor     *float64  `ch:"factor" json:"factor"`
	Payment    *float64  `ch:"payment" json:"payment"` // for one quota, in the currency of the series
	Applied    bool      `ch:"applied" json:"applied"`
	Reason     string    `ch:"reason" json:"reason"`
	Evidence   string    `ch:"evidence_url" json:"evidence_url"`
}

// pageEventsOf reads what happened to some series, or to all, on any day.
func pageEventsOf(ctx context.Context, p operation.Pinned, all bool, series ...uint32) ([]pageEvent, error) {
	return operation.Rows[pageEvent](ctx, p, "page_series_events", sql.Arg("series", series), sql.Arg("all_series", all))
}

func answerPageEvents(ctx context.Context, r *operation.Request[pageSeriesParams]) (httpapi.Reply, error) {
	known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	found, err := pageEventsOf(ctx, r.Pinned, false, known.ID)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return pageEventsReply(found, r.Params.until(r.Pinned))
}

// pageEventsFromMemory answers at any date.
func pageEventsFromMemory(r *operation.Request[pageSeriesParams]) (httpapi.Reply, bool, error) {
	held := heldPageOf(r.Pinned, r.Params.Asset)
	if held == nil {
		return httpapi.Reply{}, false, nil
	}
	reply, err := pageEventsReply(held.events, r.Params.until(r.Pinned))
	return reply, true, err
}

// pageEventsReply returns the newest events up to a date. The newest of events is the first.
func pageEventsReply(events []pageEvent, until model.Date) (httpapi.Reply, error) {
	later := slices.IndexFunc(events, func(e pageEvent) bool { return model.DateOf(e.On).Compare(until) <= 0 })
	if later < 0 {
		later = len(events)
	}
	events = events[later:]
	type dated struct {
		pageEvent
		Date model.Date `json:"date"`
	}
	list := make([]dated, min(len(events), mostEvents))
	for i := range list {
		list[i] = dated{events[i], model.DateOf(events[i].On)}
	}
	return httpapi.JSON(struct {
		Data []dated `json:"data"`
		More bool    `json:"more"` // older ones are left out
	}{list, len(events) > mostEvents})
}

// PageSources gives from which line of which file the figures of a series come that PageSeries
// gave.
var PageSources = operation.Endpoint[pageSourcesParams]{
	Path: "/pages/series/{asset_id}/sources", ForPages: true,
	Check: func(today model.Date, params *pageSourcesParams) []httpapi.Violation {
		return operation.CheckAsOf(today, params.AsOf)
	},
	Answer: answerPageSources, FromMemory: pageSourcesFromMemory, Parts: []batch.Loader{seriesPagesPart, sourceFilesPart},
}

type pageSourcesParams struct {
	pageSeriesParams
	Quoted  operation.DateParam `query:"last_date" doc:"Day of the quota; absent: none"`
	TACKind string              `query:"tac_kind" enum:"none,synthetic,stated,computed" default:"first" doc:"Kind of the cost rate"`
	TACDate operation.DateParam `query:"tac_date" doc:"Month end of the cost rate; absent: none"`
}

// pageSource is a line of a file, and when it was published and seen first.
type pageSource struct {
	SeriesID  uint32     `ch:"series_id" json:"-"`
	Item      string     `ch:"item" json:"item"` // quota, rating or tac
	Dataset   string     `ch:"dataset" json:"dataset"`
	On        time.Time  `ch:"stated_on" json:"-"`
	SHA256    string     `ch:"sha256" json:"sha256"`
	Line      uint32     `ch:"line" json:"line"` // from 1
	Published time.Time  `ch:"published_at" json:"published_at"`
	File      *string    `ch:"-" json:"file"`
	Seen      *time.Time `ch:"-" json:"seen_at"`
	Official  []*float64 `ch:"official" json:"official"` // of a rating: nominal and real returns of 1, 3 and 5 years
}

// sourcedFigures are figures of a series whose sources are asked for.
type sourcedFigures struct {
	series  uint32
	quoted  model.Date // day of the quota; the first day for none
	tacKind string     // none without a rate
	tacDate model.Date
}

// pageSourcesOf reads the sources of the figures of different series, with the comparator of a
// day. names are those of these series if they are known.
func pageSourcesOf(ctx context.Context, p operation.Pinned, comparator model.Date, names *namesOfSeries, figures ...sourcedFigures) ([]pageSource, error) {
	var ids []uint32
	var quoted, kinds, months []string
	for _, f := range figures {
		ids, quoted = append(ids, f.series), append(quoted, f.quoted.String())
		kinds, months = append(kinds, f.tacKind), append(months, f.tacDate.String())
	}
	args, err := names.args()
	if err != nil {
		return nil, err
	}
	found, err := operation.Rows[pageSource](ctx, p, "page_series_sources", append(args, sql.Arg("series", ids), sql.Arg("quoted_on", quoted),
		sql.Arg("tac_kinds", kinds), sql.Arg("tac_months", months), sql.Arg("comparator", comparator.String()))...)
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(found))
	for i := range found {
		hashes[i] = found[i].SHA256
	}
	files, err := sourceFilesOf(ctx, p, hashes)
	if err != nil {
		return nil, err
	}
	for i := range found {
		file := files[found[i].SHA256]
		found[i].File, found[i].Seen = file.Name, file.Seen
	}
	return found, nil
}

// comparatorInMemory returns the day of the comparator that is in force at a date, from what is in memory of a series. It returns
// false if nothing is.
func comparatorInMemory(p operation.Pinned, series uint32, asOf model.Date) (model.Date, bool) {
	history, there := past.Known(p)
	if !there {
		return operation.FirstDay, false
	}
	line, named := history.LineAt(series, asOf)
	if !named {
		return operation.FirstDay, false
	}
	return operation.Value(operation.DateOf(line.Date)), true // the first day before the first comparator
}

// comparatorBy returns the day of the comparator that is in force at a date, and the first day, of which no file has rows, if
// there is none.
func comparatorBy(ctx context.Context, p operation.Pinned, asOf model.Date) (model.Date, error) {
	type newest struct {
		Date time.Time `ch:"newest"`
	}
	found, err := operation.Rows[newest](ctx, p, "comparator_date", sql.Arg("as_of", asOf.String()))
	if err != nil {
		return operation.FirstDay, err
	}
	return model.DateOf(found[0].Date), nil // the statement always gives one row
}

// namesOfSeries are the names of a series of a fund, renamed or not.
type namesOfSeries struct {
	series, run        uint32
	names, from, until []string // the newest first, with the days on which they were valid
}

// names returns the names of the series that the page is of.
func (h *seriesProfile) names(p operation.Pinned) *namesOfSeries {
	if renamed := p.Batch.Renamed(h.id); renamed != nil {
		return &namesOfSeries{h.id, h.run, renamed.Names, renamed.ValidFrom, renamed.ValidUntil}
	}
	return &namesOfSeries{h.id, h.run, []string{h.serie}, []string{operation.FirstDay.String()}, []string{operation.LastDayOfAll.String()}}
}

// args returns the names as arguments of page_series_sources.sql. Of nil, the statement looks them up.
func (l *namesOfSeries) args() ([]any, error) {
	if l == nil {
		return []any{sql.Arg("names", "read_names")}, nil
	}
	n := len(l.names)
	series, runs, positions := slices.Repeat([]uint32{l.series}, n), slices.Repeat([]uint32{l.run}, n), make([]uint8, n)
	from, until := make([]time.Time, n), make([]time.Time, n)
	for i := range l.names {
		var wrong [2]error
		positions[i] = uint8(i + 1)
		from[i], wrong[0] = time.Parse(time.DateOnly, l.from[i])
		until[i], wrong[1] = time.Parse(time.DateOnly, l.until[i])
		if err := errors.Join(wrong[:]...); err != nil {
			return nil, fmt.Errorf("days of the name %s: %w", l.names[i], err)
		}
	}
	table, err := sql.Table("given_names", sql.Column{Type: "series_id UInt32", Values: series}, sql.Column{Type: "run UInt32", Values: runs},
		sql.Column{Type: "serie String", Values: l.names}, sql.Column{Type: "position UInt8", Values: positions},
		sql.Column{Type: "valid_from Date", Values: from}, sql.Column{Type: "valid_until Date", Values: until})
	if err != nil {
		return nil, err
	}
	return []any{sql.Arg("names", "given_names"), table}, nil
}

func answerPageSources(ctx context.Context, r *operation.Request[pageSourcesParams]) (httpapi.Reply, error) {
	var names *namesOfSeries
	var id uint32
	if held := heldPageOf(r.Pinned, r.Params.Asset); held != nil {
		names, id = held.names(r.Pinned), held.id
	} else {
		known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
		if err != nil {
			return httpapi.Reply{}, err
		}
		id = known.ID
	}
	comparator, there := comparatorInMemory(r.Pinned, id, r.Params.catalogueDate())
	if !there {
		var err error
		if comparator, err = comparatorBy(ctx, r.Pinned, r.Params.catalogueDate()); err != nil {
			return httpapi.Reply{}, err
		}
	}
	found, err := pageSourcesOf(ctx, r.Pinned, comparator, names, r.Params.figuresOf(id))
	if err != nil {
		return httpapi.Reply{}, err
	}
	return pageSourcesReply(found)
}

// figuresOf returns the figures of a series whose sources are requested.
func (p *pageSourcesParams) figuresOf(series uint32) sourcedFigures {
	return sourcedFigures{series, p.Quoted.Or(operation.FirstDay), p.TACKind, p.TACDate.Or(operation.FirstDay)}
}

// pageSourcesFromMemory answers for the figures that pageSeriesFromMemory gives.
func pageSourcesFromMemory(r *operation.Request[pageSourcesParams]) (httpapi.Reply, bool, error) {
	held := heldPageOf(r.Pinned, r.Params.Asset)
	if held == nil || r.Params.AsOf.Given || r.Params.figuresOf(held.id) != held.figures() {
		return httpapi.Reply{}, false, nil
	}
	reply, err := pageSourcesReply(held.sources)
	return reply, true, err
}

func pageSourcesReply(found []pageSource) (httpapi.Reply, error) {
	type dated struct {
		pageSource
		Date model.Date `json:"date"`
	}
	list := make([]dated, len(found))
	for i, s := range found {
		s.Published, s.Seen = s.Published.UTC(), facts.UTC(s.Seen)
		list[i] = dated{s, model.DateOf(s.On)}
	}
	return httpapi.JSON(struct {
		Data []dated `json:"data"`
	}{list})
}

// PageReal gives what a series was worth beyond the growth of the UF, for a chart.
var PageReal = operation.Endpoint[pageRealParams]{
	Path: "/pages/series/{asset_id}/real", ForPages: true,
	Check: func(_ model.Date, params *pageRealParams) []httpapi.Violation {
		return operation.CheckRange(params.From, params.To)
	},
	Answer: answerPageReal,
}

type pageRealParams struct {
	operation.AssetParams
	From operation.DateParam `query:"from_date" doc:"First day, inclusive"`
	To   operation.DateParam `query:"to_date" doc:"Last day, inclusive"`
}

func answerPageReal(ctx context.Context, r *operation.Request[pageRealParams]) (httpapi.Reply, error) {
	known, err := numberOf(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	type point struct {
		Day    time.Time `ch:"date"`
		Growth float64   `ch:"growth"`
	}
	found, err := operation.Rows[point](ctx, r.Pinned, "page_series_real", append(tableArgs(r.Params.Asset), sql.Arg("series_id", known),
		sql.Arg("from_date", r.Params.From.Or(operation.FirstDay).String()), sql.Arg("to_date", r.Params.To.Or(operation.LastDayOfAll).String()))...)
	if err != nil {
		return httpapi.Reply{}, err
	}
	type dated struct {
		Date   model.Date `json:"date"`
		Growth float64    `json:"growth"` // fraction since the first day
	}
	list := make([]dated, len(found))
	for i, p := range found {
		list[i] = dated{model.DateOf(p.Day), p.Growth}
	}
	return httpapi.JSON(struct {
		Data []dated `json:"data"`
	}{list})
}

// PageOfficial gives what the newest comparator states of a series, beside our returns.
var PageOfficial = operation.Endpoint[pageSeriesParams]{
	Path: "/pages/series/{asset_id}/official_returns", ForPages: true, Check: checkPageSeries, Answer: answerPageOfficial,
}

func answerPageOfficial(ctx context.Context, r *operation.Request[pageSeriesParams]) (httpapi.Reply, error) {
	known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	type official struct {
		On         time.Time  `ch:"date" json:"-"`
		Years      uint8      `ch:"years" json:"years"`
		Basis      string     `ch:"basis" json:"basis"`                     // nominal or real
		Official   *float64   `ch:"official_return" json:"official_return"` // fraction per year, as all returns here
		Price      *float64   `ch:"price_return" json:"price_return"`
		Reinvested *float64   `ch:"reinvested_return" json:"reinvested_return"`
		Cause      *string    `ch:"cause" json:"cause"` // of a difference
		Reason     *string    `ch:"reason" json:"reason"`
		ComparedOn *time.Time `ch:"compared_date" json:"-"`
	}
	found, err := operation.Rows[official](ctx, r.Pinned, "page_official_returns", sql.Arg("series_id", known.ID), sql.Arg("as_of", r.Params.catalogueDate().String()))
	if err != nil {
		return httpapi.Reply{}, err
	}
	type dated struct {
		official
		Date     model.Date  `json:"date"`
		Compared *model.Date `json:"compared_date"`
	}
	list := make([]dated, len(found))
	for i, f := range found {
		list[i] = dated{f, model.DateOf(f.On), operation.DateOf(f.ComparedOn)}
	}
	return httpapi.JSON(struct {
		Data []dated `json:"data"`
	}{list})
}
