package series

import (
	"context"
	"slices"
	"time"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// Events answers with what happened to a series, the newest first.
var Events = operation.Endpoint[profileParams, EventList]{
	Path: "/pages/series/{asset_id}/events", ForPages: true, Check: checkProfile,
	Find: findEvents, Known: knownEvents, Parts: []batch.Loader{profilesPart},
}

// mostEvents is how many events a list has.
const mostEvents = 100

// EventList are the newest events of a series up to a date.
type EventList struct {
	Data []Event `json:"data"`
	More bool    `json:"more"` // older ones are left out
}

// Event is something that happened to a series: a change of its name, an exchange, a distribution or a break.
type Event struct {
	Kind       string     `ch:"kind" json:"kind"`
	OtherRUN   string     `ch:"other_run" json:"other_run"`
	OtherSerie string     `ch:"other_serie" json:"other_serie"`
	OtherID    *uint32    `ch:"other_id" json:"other_id"`
	Factor     *float64   `ch:"factor" json:"factor"`
	Payment    *float64   `ch:"payment" json:"payment"` // for one quota, in the currency of the series
	Applied    bool       `ch:"applied" json:"applied"`
	Reason     string     `ch:"reason" json:"reason"`
	Evidence   string     `ch:"evidence_url" json:"evidence_url"`
	Date       model.Date `ch:"-" json:"date"`
}

// eventRow is a row of series_events.sql.
type eventRow struct {
	SeriesID uint32    `ch:"series_id"`
	On       time.Time `ch:"date"`
	Event
}

// readEvents reads what happened to some series, or to all, on any day.
func readEvents(ctx context.Context, p operation.Pinned, all bool, series ...uint32) ([]eventRow, error) {
	found, err := operation.Rows[eventRow](ctx, p, "series_events", sql.Arg("series", series),
		sql.Arg("all_series", all))
	for i := range found {
		found[i].Date = model.DateOf(found[i].On)
	}
	return found, err
}

func findEvents(ctx context.Context, r *operation.Request[profileParams]) (EventList, error) {
	known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return EventList{}, err
	}
	found, err := readEvents(ctx, r.Pinned, false, known.ID)
	if err != nil {
		return EventList{}, err
	}
	events := make([]Event, len(found))
	for i, row := range found {
		events[i] = row.Event
	}
	return eventsUntil(r.Params.until(r.Pinned), events), nil
}

// knownEvents answers at any date.
func knownEvents(r *operation.Request[profileParams]) (EventList, bool, error) {
	kept := keptProfileOf(r.Pinned, r.Params.Asset)
	if kept == nil {
		return EventList{}, false, nil
	}
	return eventsUntil(r.Params.until(r.Pinned), kept.events), true, nil
}

// eventsUntil returns the newest events up to a date. The newest of events is the first.
func eventsUntil(date model.Date, events []Event) EventList {
	later := slices.IndexFunc(events, func(e Event) bool { return e.Date.Compare(date) <= 0 })
	if later < 0 {
		later = len(events)
	}
	events = events[later:]
	shown := make([]Event, min(len(events), mostEvents)) // which is not null in JSON without events
	copy(shown, events)
	return EventList{shown, len(events) > mostEvents}
}
