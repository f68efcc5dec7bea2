package series

import (
	"cmp"
	"context"
	"slices"
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

// sourceRow is a row of series_sources.sql: a line that may state a figure.
type sourceRow struct {
	SeriesID uint32    `ch:"series_id"` // of a cost rate; 0 of any other line, which has a name
	RUN      uint32    `ch:"run"`
	Serie    string    `ch:"serie_name"`
	On       time.Time `ch:"stated_on"`
	Void     bool      `ch:"void"`
	Source
}

// sourcedFigures are figures of a series whose sources are asked for.
type sourcedFigures struct {
	series  uint32
	quoted  model.Date // day of the quota; the first day for none
	tacKind string     // none without a rate
	tacDate model.Date
}

// namedFigures are figures of a series under the names that files have for it. A series of an investment fund has none.
type namedFigures struct {
	sourcedFigures
	run   uint32
	names *batch.Names
}

// readSources reads the sources of the figures of different series, with the comparator of a day. They are in the order
// of series and items.
func readSources(ctx context.Context, p operation.Pinned, comparator model.Date,
	figures ...namedFigures) ([]sourceRow, error) {
	var ids, runs []uint32
	var names, quoted, kinds, months []string
	for _, f := range figures {
		ids = append(ids, f.series)
		kinds, months = append(kinds, f.tacKind), append(months, f.tacDate.String())
		if f.names != nil {
			names = append(names, f.names.Names...)
			runs = append(runs, slices.Repeat([]uint32{f.run}, len(f.names.Names))...)
			quoted = append(quoted, slices.Repeat([]string{f.quoted.String()}, len(f.names.Names))...)
		}
	}
	lines, err := operation.Rows[sourceRow](ctx, p, "series_sources", sql.Arg("series", ids), sql.Arg("runs", runs),
		sql.Arg("series_names", names), sql.Arg("quoted_on", quoted), sql.Arg("tac_kinds", kinds),
		sql.Arg("tac_months", months), sql.Arg("comparator", comparator.String()))
	if err != nil {
		return nil, err
	}
	files, err := sourceFilesOf(ctx, p, len(lines), func(i int) string { return lines[i].SHA256 })
	if err != nil {
		return nil, err
	}
	lines = slices.DeleteFunc(lines, func(l sourceRow) bool { _, there := files[l.SHA256]; return !there })
	found := thatCount(lines, figures)
	for i := range found {
		row, file := &found[i], files[found[i].SHA256]
		row.File, row.Seen, row.Published, row.Date = file.Name, file.Seen, row.Published.UTC(), model.DateOf(row.On)
	}
	return found, nil
}

// thatCount chooses the line of each figure that counts, as batch_outranked_quota, batch_quota and
// series_official_return_as_of do: under the name that was valid on its day, else under the newest, and of these the
// one with the highest revision.
func thatCount(lines []sourceRow, figures []namedFigures) []sourceRow {
	type label struct {
		run   uint32
		serie string
	}
	type candidate struct {
		sourceRow
		place int // of the name: 0 if it was valid on the day, else from 1, the newest first
	}
	stated := make(map[label][]sourceRow)
	var candidates []candidate
	for _, line := range lines {
		if line.Item == "tac" {
			candidates = append(candidates, candidate{sourceRow: line})
			continue
		}
		of := label{line.RUN, line.Serie}
		stated[of] = append(stated[of], line)
	}
	for _, f := range figures {
		if f.names == nil {
			continue
		}
		for i, name := range f.names.Names {
			for _, line := range stated[label{f.run, name}] {
				day := model.DateOf(line.On)
				if line.Item == "quota" && day != f.quoted {
					continue
				}
				of := candidate{line, i + 1}
				of.SeriesID = f.series
				if text := day.String(); f.names.ValidFrom[i] <= text && text <= f.names.ValidUntil[i] {
					of.place = 0
				}
				candidates = append(candidates, of)
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		var voidLast int
		switch {
		case a.Void && !b.Void:
			voidLast = 1
		case b.Void && !a.Void:
			voidLast = -1
		}
		return cmp.Or(cmp.Compare(a.SeriesID, b.SeriesID), cmp.Compare(a.Item, b.Item), cmp.Compare(a.place, b.place),
			b.Published.Compare(a.Published), cmp.Compare(b.SHA256, a.SHA256), cmp.Compare(b.Line, a.Line), voidLast)
	})
	var chosen []sourceRow
	for _, of := range candidates {
		if n := len(chosen); n > 0 && chosen[n-1].SeriesID == of.SeriesID && chosen[n-1].Item == of.Item {
			continue
		}
		chosen = append(chosen, of.sourceRow)
	}
	return chosen
}

func findSources(ctx context.Context, r *operation.Request[sourcesParams]) (listed Listed[Source], err error) {
	known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return listed, err
	}
	comparator, there := comparatorInMemory(r.Pinned, known.ID, r.Params.catalogueDate())
	if !there {
		if comparator, err = comparatorBy(ctx, r.Pinned, r.Params.catalogueDate()); err != nil {
			return listed, err
		}
	}
	of := namedFigures{sourcedFigures: r.Params.figuresOf(known.ID), run: known.RUN}
	if !r.Params.Asset.IsUUID() {
		of.names = known.names
	}
	found, err := readSources(ctx, r.Pinned, comparator, of)
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

// knownSources answers for the figures that knownProfile returns.
func knownSources(r *operation.Request[sourcesParams]) (Listed[Source], bool, error) {
	kept := keptProfileOf(r.Pinned, r.Params.Asset)
	if kept == nil || r.Params.AsOf.Given || r.Params.figuresOf(kept.id) != kept.figures() {
		return Listed[Source]{}, false, nil
	}
	return Listed[Source]{append([]Source{}, kept.sources...)}, true, nil // which is not null in JSON without sources
}
