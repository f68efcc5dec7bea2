package scrape

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cuota/ingest"
)

// take archives a complete payload and judges it, unless its bytes are known already.
// Good payloads then wait to be published.
func (s *source) take(ctx context.Context, d *document, p period, path, sha string, now time.Time) error {
	if d.SHA256 == sha {
		s.summary.Unchanged++
		return s.well(d, now)
	}
	report, err := s.scraper.judge.File(ctx, ingest.Request{Dataset: s.dataset, Path: path})
	if err != nil {
		return err
	}
	// A file in quarantine is handed over, so that a person learns of it and decides.
	if reason := s.refusal(report, d, p, sha); reason != "" && !report.Quarantined {
		d.Refused = sha
		s.summary.Refused++
		t := troubled("the payload is not published: %s (archived as %s)", reason, sha)
		if s.address == nil {
			return s.refuse(d, t)
		}
		return s.failed(d, t)
	}
	d.Absent, d.Refused = false, ""
	if slices.Contains(d.Earlier, sha) {
		// The same bytes always give the same events, and their revision is the instant
		// of their first sight. So they cannot outrank what was published after them.
		s.summary.Reverted++
		s.log.Warn().Str("document", d.Name).Str("sha256", sha).
			Msg("the source serves an earlier version of the document again, and the later version stays in effect; " +
				"if the earlier version is right, add an empty line at the end of a copy and ingest that")
		d.Earlier = append(d.Earlier, d.SHA256)
		d.SHA256 = sha
		return s.well(d, now)
	}
	d.Waiting = sha
	return s.well(d, now)
}

// refusal returns the reason why a payload must not be published; empty if it may be.
// The payload was read to its end.
func (s *source) refusal(report ingest.Report, d *document, p period, sha string) string {
	switch {
	case report.Refused:
		return report.FirstRejects[0].Reason
	case report.Cut:
		return "it ends inside a row, so the rest is missing"
	case report.Published == 0:
		return fmt.Sprintf("all of its %d rows were rejected, the first because %s", report.Read,
			report.FirstRejects[0].Reason)
	case report.Published < s.minRows:
		return fmt.Sprintf("it has %d valid rows, but min_rows is %d", report.Published, s.minRows)
	case p == (period{}):
		return ""
	case !report.FirstDate.IsZero() && (report.LastDate.Compare(p.first) < 0 || report.FirstDate.Compare(p.last) > 0):
		return fmt.Sprintf("the request was for %s to %s, but the rows are of %s to %s", p.first, p.last,
			report.FirstDate, report.LastDate)
	}
	for name, other := range s.documents {
		if name != d.Name && (other.SHA256 == sha || other.Waiting == sha) {
			return fmt.Sprintf("it equals the document of %s, so the site does not answer with the requested document",
				name)
		}
	}
	return ""
}
