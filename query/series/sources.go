package series

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// Sources answers with from which line of which file the figures of a series come that Profile gave.
var Sources = operation.Endpoint[sourcesParams, Listed[Source]]{
	Path: "/pages/series/{asset_id}/sources", ForPages: true,
	Check: func(today model.Date, params *sourcesParams) []httpapi.Violation {
		return operation.CheckAsOf(today, params.AsOf)
	},
	Find: findSources, Known: knownSources, Parts: []batch.Loader{profilesPart, sourceFilesPart},
}

type sourcesParams struct {
	profileParams
	Quoted  operation.DateParam `query:"last_date" doc:"Day of the quota; absent: none"`
	TACKind string              `query:"tac_kind" enum:"none,synthetic,stated,computed" default:"first" doc:"Kind of the cost rate"`
	TACDate operation.DateParam `query:"tac_date" doc:"Month end of the cost rate; absent: none"`
}

// Source is a line of a file, and when it was published and seen first, in UTC.
type Source struct {
	Item      string     `ch:"item" json:"item"` // quota, rating or tac
	Dataset   string     `ch:"dataset" json:"dataset"`
	SHA256    string     `ch:"sha256" json:"sha256"`
	Line      uint32     `ch:"line" json:"line"` // from 1
	Published time.Time  `ch:"published_at" json:"published_at"`
	File      *string    `ch:"-" json:"file"`
	Seen      *time.Time `ch:"-" json:"seen_at"`
	Official  []*float64 `ch:"official" json:"official"` // of a rating: nominal and real returns of 1, 3 and 5 years
	Date      model.Date `ch:"-" json:"date"`            // that the line states
}

// sourceRow is a row of series_sources.sql.
type sourceRow struct {
	SeriesID uint32    `ch:"series_id"`
	On       time.Time `ch:"stated_on"`
	Source
}

// sourcedFigures are figures of a series whose sources are asked for.
type sourcedFigures struct {
	series  uint32
	quoted  model.Date // day of the quota; the first day for none
	tacKind string     // none without a rate
	tacDate model.Date
}

// readSources reads the sources of the figures of different series, with the comparator of a
// day. names are those of these series if they are known.
func readSources(ctx context.Context, p operation.Pinned, comparator model.Date, names *namesOfSeries,
	figures ...sourcedFigures) ([]sourceRow, error) {
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
	found, err := operation.Rows[sourceRow](ctx, p, "series_sources",
		append(args, sql.Arg("series", ids), sql.Arg("quoted_on", quoted),
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
		row, file := &found[i], files[found[i].SHA256]
		row.File, row.Seen, row.Published, row.Date = file.Name, file.Seen, row.Published.UTC(), model.DateOf(row.On)
	}
	return found, nil
}

func findSources(ctx context.Context, r *operation.Request[sourcesParams]) (listed Listed[Source], err error) {
	var names *namesOfSeries
	var id uint32
	if held := heldProfileOf(r.Pinned, r.Params.Asset); held != nil {
		names, id = held.names(r.Pinned), held.id
	} else {
		known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
		if err != nil {
			return listed, err
		}
		id = known.ID
	}
	comparator, there := comparatorInMemory(r.Pinned, id, r.Params.catalogueDate())
	if !there {
		if comparator, err = comparatorBy(ctx, r.Pinned, r.Params.catalogueDate()); err != nil {
			return listed, err
		}
	}
	found, err := readSources(ctx, r.Pinned, comparator, names, r.Params.figuresOf(id))
	listed.Data = make([]Source, len(found))
	for i, row := range found {
		listed.Data[i] = row.Source
	}
	return listed, err
}

// figuresOf returns the figures of a series whose sources are requested.
func (p *sourcesParams) figuresOf(series uint32) sourcedFigures {
	return sourcedFigures{series, p.Quoted.Or(operation.FirstDay), p.TACKind, p.TACDate.Or(operation.FirstDay)}
}

// knownSources answers for the figures that knownProfile gives.
func knownSources(r *operation.Request[sourcesParams]) (Listed[Source], bool, error) {
	held := heldProfileOf(r.Pinned, r.Params.Asset)
	if held == nil || r.Params.AsOf.Given || r.Params.figuresOf(held.id) != held.figures() {
		return Listed[Source]{}, false, nil
	}
	return Listed[Source]{append([]Source{}, held.sources...)}, true, nil // which is not null in JSON without sources
}
