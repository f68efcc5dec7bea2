package ingest

import (
	"fmt"
	"time"

	"cuota/internal/santiago"
	"cuota/model"
)

// Readers that the curated files share. These files are written by people or by their
// own programs: dates and instants in ISO form, yes and no, and the evidence of each
// row.

// evidence reads the address and the hash of the document that proves a row.
func (r *row) evidence(url, hash int) model.Evidence {
	return model.Evidence{EvidenceURL: r.fields[url], EvidenceSHA256: r.fields[hash]}
}

// maybeDay reads YYYY-MM-DD, or blank as the zero date.
func (r *row) maybeDay(column int) model.Date {
	if r.fields[column] == "" {
		return model.Date{}
	}
	return r.day(column, model.ParseDate)
}

// maybeInstant reads an RFC 3339 instant, or blank as the zero time. It rejects anything
// finer than microseconds, because storage would lose it.
func (r *row) maybeInstant(column int) time.Time {
	text := r.fields[column]
	if text == "" {
		return time.Time{}
	}
	instant, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		r.fail(column, fmt.Errorf("%s is not an instant such as 2026-05-31T18:00:00Z; correct the row", shown(text)))
	case !instant.Equal(instant.Truncate(time.Microsecond)):
		r.fail(column, fmt.Errorf("%s has more than six decimals of a second; cut it to microseconds", shown(text)))
	default:
		if err := r.inRange(model.DateOf(instant.In(santiago.Zone))); err != nil {
			r.fail(column, err)
		}
	}
	return instant.UTC()
}
