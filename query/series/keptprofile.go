package series

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/shopspring/decimal"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// keptProfile is what Profile, Events and Sources answer about a series of mutual funds, as it is
// kept in memory.
type keptProfile struct {
	id, run uint32
	serie   string
	row     profileRow
	events  []Event  // on any day, the newest first
	sources []Source // of figures
}

// series identifies the series as findNamed does. asset is an id that finds it.
func (h *keptProfile) series(p operation.Pinned, asset operation.AssetID) Series {
	known := Series{ID: h.id, RUN: h.run, Serie: h.serie, asked: asset, names: p.Batch.Renamed(asset.Series)}
	if known.names == nil {
		known.names = onlyName(known)
	} else {
		known.Serie = known.names.CutoffSerie
	}
	return known
}

// daysBeforeQuote is how many days before a date a profile takes the newest quote of a series from the tables by day.
const daysBeforeQuote = 7

// on returns what series_profile.sql returns for a date, from what is kept in memory and the newest quote up to the
// date. From the last quote of the series until the cutoff, that quote is in memory, and no statement is run. Before
// the first quote none is run either. On other dates it returns false if the series has no quote in the week up to the
// date.
func (h *keptProfile) on(ctx context.Context, p operation.Pinned, date model.Date) (profileRow, bool, error) {
	history, err := past.Of(ctx, p)
	if err != nil {
		return profileRow{}, false, err
	}
	row := h.row
	row.TAC, row.TACKind, row.TACDate = nil, nil, nil
	var class *string // in force at the date
	if cost := past.CostBy(history.Costs[h.id], date); cost != nil {
		row.TAC, row.TACKind, row.TACDate = &cost.Rate, cost.Kind, new(cost.Month.Time())
		class = cost.Class
	}
	if compared, there := history.LineAt(h.id, date); there && compared.Class != nil {
		class = compared.Class
	}
	if row.ClassLater = class == nil && row.InvestorClass != nil; class != nil {
		row.InvestorClass = class
	}
	row.Eligibility = history.EligibilityBy(h.id, date)
	cutoff, last := operation.DateOf(p.Batch.AsOf), operation.DateOf(h.row.Last)
	if cutoff != nil && last != nil && date.Compare(*last) >= 0 && date.Compare(*cutoff) <= 0 {
		return row, true, nil
	}
	if first := operation.DateOf(h.row.First); first != nil && date.Compare(*first) < 0 {
		row.First, row.Last, row.Quota, row.Equity, row.Shareholders, row.Currency = nil, nil, nil, nil, nil, nil
		return row, true, nil
	}
	week, builds := history.MarketBuilds(date.AddDays(-daysBeforeQuote), date)
	if len(week) == 0 {
		return profileRow{}, false, nil
	}
	type quote struct {
		Date         time.Time        `ch:"date"`
		Quota        *decimal.Decimal `ch:"quota"`
		Equity       *decimal.Decimal `ch:"equity"`
		Shareholders *uint32          `ch:"shareholders"`
		Currency     *string          `ch:"currency"`
	}
	found, err := operation.Rows[quote](ctx, p, "newest_quote", sql.Arg("series_id", h.id), sql.Arg("days", week),
		sql.Arg("builds", builds))
	if err != nil || len(found) == 0 {
		return profileRow{}, false, err
	}
	newest := found[0]
	row.Last, row.Quota, row.Equity, row.Shareholders, row.Currency = &newest.Date, newest.Quota, newest.Equity,
		newest.Shareholders, newest.Currency
	return row, true, nil
}

// figures are the quota and the cost rate of row.
func (h *keptProfile) figures() sourcedFigures {
	f := sourcedFigures{h.id, operation.FirstDay, "none", operation.FirstDay}
	if last := operation.DateOf(h.row.Last); last != nil {
		f.quoted = *last
	}
	if kind, on := h.row.TACKind, operation.DateOf(h.row.TACDate); kind != nil && on != nil {
		f.tacKind, f.tacDate = *kind, *on
	}
	return f
}

// sourcesAtOnce is of how many series the sources are read by one statement.
const sourcesAtOnce = 1000

// profilesPart keeps in memory the profiles of series at the cutoff, by the number of the
// series. It leaves out series of investment funds, and those that series_at_cutoff.sql leaves
// out.
var profilesPart = batch.NewOptionalPart("series_profiles",
	func(ctx context.Context, s batch.Source) (map[uint32]*keptProfile, int, error) {
		type identity struct {
			SeriesID uint32 `ch:"series_id"`
			RUN      string `ch:"run"`
			Serie    string `ch:"serie"`
			profileRow
		}
		p := operation.PinnedBy(s)
		found, err := operation.Rows[identity](ctx, p, "series_at_cutoff")
		if err != nil {
			return nil, 0, err
		}
		size := len(found) * 2 * int(unsafe.Sizeof(keptProfile{})) // about half of it is behind pointers
		profiles, figures := make(map[uint32]*keptProfile, len(found)), make([]namedFigures, len(found))
		for i, of := range found {
			run, err := model.ParseRUN(of.RUN)
			if err != nil {
				return nil, 0, fmt.Errorf("series %d: %w", of.SeriesID, err)
			}
			profile := &keptProfile{id: of.SeriesID, run: uint32(run), serie: of.Serie, row: of.profileRow}
			known := profile.series(p, operation.AssetID{Series: of.SeriesID})
			profiles[of.SeriesID], figures[i] = profile, namedFigures{profile.figures(), known.RUN, known.names}
		}
		events, err := readEvents(ctx, p, true)
		if err != nil {
			return nil, 0, err
		}
		for _, event := range events {
			if profile := profiles[event.SeriesID]; profile != nil {
				profile.events = append(profile.events, event.Event)
				size += int(unsafe.Sizeof(Event{})) + len(event.OtherSerie) + len(event.Evidence)
			}
		}
		comparator, err := comparatorBy(ctx, p, operation.LastDayOfAll)
		if err != nil {
			return nil, 0, err
		}
		texts := make(map[string]string) // each hash and each name of a file once
		for some := range slices.Chunk(figures, sourcesAtOnce) {
			sources, err := readSources(ctx, p, comparator, some...)
			if err != nil {
				return nil, 0, err
			}
			for _, source := range sources {
				source.SHA256 = once(texts, source.SHA256)
				if source.File != nil {
					source.File = new(once(texts, *source.File))
				}
				profiles[source.SeriesID].sources = append(profiles[source.SeriesID].sources, source.Source)
				size += int(unsafe.Sizeof(Source{})) +
					len(source.Official)*int(unsafe.Sizeof((*float64)(nil))+unsafe.Sizeof(float64(0)))
			}
		}
		return profiles, size, nil
	})

// once returns the same string for equal texts, so that they are in memory once.
func once(texts map[string]string, text string) string {
	known, there := texts[text]
	if !there {
		known, texts[text] = text, text
	}
	return known
}

// keptProfileOf returns what is kept in memory of the series with this id, and nil if nothing is.
func keptProfileOf(p operation.Pinned, asset operation.AssetID) *keptProfile {
	profiles, there := profilesPart.Of(p.Batch)
	if !there || asset.IsUUID() {
		return nil
	}
	id := asset.Series
	if renamed := p.Batch.Renamed(id); renamed != nil {
		id = renamed.SeriesID
	}
	return profiles[id]
}
