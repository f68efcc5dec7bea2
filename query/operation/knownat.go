package operation

import (
	"net/http"
	"regexp"
	"time"

	"cuota/internal/httpapi"
	"cuota/internal/santiago"
	"cuota/model"
	"cuota/query/batch"
)

// KnownAtParams are the parameters of an endpoint that can answer what was known at a moment. A
// request with known_at is answered as it would have been at that moment: from the batch that
// was published then, on the day of the moment.
type KnownAtParams struct {
	KnownAt momentParam `query:"known_at" doc:"Answer as at this moment, from the newest batch that was published by then and is kept: an instant with its offset from UTC (2026-11-20T18:00:00-03:00, with + written as %2B), or a day in Santiago (2026-11-20), which means its end. Not in the future, and not with batch_id; 410 known_at_gone before the first batch that is kept. The headers X-Batch-Id and X-Batch-Published-At tell which batch it is. An extension of this service."`
}

// knownAt returns the moment. endpoint finds by this method which endpoints take it.
func (p *KnownAtParams) knownAt() momentParam { return p.KnownAt }

// momentParam is an instant, or a day in Santiago, which stands for its last instant. It is
// absent if given is false.
type momentParam struct {
	at    time.Time
	isDay bool
	given bool
}

var momentForm = regexp.MustCompile("^" + DatePattern("-") +
	`(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$`)

// Read implements httpapi.Value.
func (m *momentParam) Read(text string) *httpapi.Violation {
	wrong := &httpapi.Violation{Type: "datetime_parsing",
		Msg: "Must be an instant with its offset from UTC, as in 2026-11-20T18:00:00-03:00 or 2026-11-20T21:00:00Z " +
			"(write + as %2B), or a day, as in 2026-11-20"}
	if !momentForm.MatchString(text) {
		return wrong
	}
	if len(text) == len(time.DateOnly) {
		day, err := time.ParseInLocation("2006-01-02 15", text+" 12", santiago.Zone) // every day has a noon
		if err != nil || day.Year() < 1 {
			return wrong
		}
		*m = momentParam{santiago.NextDay(day).Add(-time.Millisecond), true, true}
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Year() < 1 {
		return wrong
	}
	*m = momentParam{at.UTC().Truncate(time.Millisecond), false, true} // batches are published at whole milliseconds
	return nil
}

// String implements httpapi.Value.
func (m *momentParam) String() string {
	if m.isDay {
		return m.day().String()
	}
	return m.at.Format(instantForm)
}

// instantForm is the form of an instant in UTC with its milliseconds.
const instantForm = "2006-01-02T15:04:05.000Z07:00"

// Dated implements httpapi.Dated.
func (momentParam) Dated() {}

// Schema implements httpapi.Value.
func (momentParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "pattern": momentForm.String()}
}

// day returns the day in Santiago.
func (m momentParam) day() model.Date { return model.DateOf(m.at.In(santiago.Zone)) }

// momentOf returns the known_at of a request, and false if its endpoint does not take it.
func momentOf(params any) (at momentParam, takes bool) {
	asked, takes := params.(interface{ knownAt() momentParam })
	if takes {
		at = asked.knownAt()
	}
	return at, takes
}

// checkKnownAt refuses a moment in the future, of which the answer would change later, and a
// moment beside the name of a batch.
func checkKnownAt(now time.Time, at momentParam, params any) []httpapi.Violation {
	refuse := func(kind, msg string) []httpapi.Violation {
		return []httpapi.Violation{{Loc: []string{"query", "known_at"}, Type: kind, Msg: msg, Input: at.String()}}
	}
	if named, names := params.(interface{ namedBatch() string }); names && named.namedBatch() != "" {
		return refuse("value_error", "Must not be given together with batch_id")
	}
	switch today := model.DateOf(now.In(santiago.Zone)); {
	case at.isDay && at.day().Compare(today) > 0:
		return refuse("date_future", "Must not be after today in Santiago, "+today.String())
	case !at.isDay && at.at.After(now):
		return refuse("date_future", "Must not be in the future: it is "+now.UTC().Format(instantForm))
	}
	return nil
}

// The response headers that name the batch of a reply.
const (
	// BatchHeader is the response header with the batch_id of the batch that a reply is from; of /health,
	// of the published one.
	BatchHeader      = "X-Batch-Id"
	publishedHeader  = "X-Batch-Published-At"
	supersededHeader = "X-Batch-Superseded-At"
)

// nameBatch says in the headers of a response which batch it is from. Bodies do not say
// more than they did at the moment, so that they are the same.
func nameBatch(header http.Header, known batch.KnownAt) {
	header.Set(BatchHeader, known.Batch.ID)
	header.Set(publishedHeader, known.Batch.CalculatedAt.UTC().Format(instantForm))
	if !known.SupersededAt.IsZero() {
		header.Set(supersededHeader, known.SupersededAt.UTC().Format(instantForm))
	}
}
