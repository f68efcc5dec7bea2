package scrape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"cuota/internal/santiago"
	"cuota/model"
)

// due returns the period whose document to ask for now: of the due periods with the
// fewest failures, the newest.
func (s *source) due(now time.Time) (period, bool) {
	slot := s.slot(now)
	today := model.DateOf(slot.In(santiago.Zone))
	periods := s.address.cadence.until(today, s.address.first, s.address.after)
	var chosen period
	fewest := -1
	for i := len(periods) - 1; i >= 0; i-- {
		p := periods[i]
		d := s.documents[p.name()]
		if !isDue(d, s.recent(i, len(periods)), slot) {
			continue
		}
		failures := 0
		if d != nil {
			failures = d.Failures
		}
		if fewest < 0 || failures < fewest {
			chosen, fewest = p, failures
		}
		if fewest == 0 {
			break
		}
	}
	return chosen, fewest >= 0
}

// recent reports whether the period at index i of n is asked for again after it was
// answered.
func (s *source) recent(i, n int) bool {
	return s.address.cadence == standing || i >= n-s.address.again
}

// isDue reports whether to ask for a document: for an old one until it is answered, for a
// recent one at each moment of the schedule.
func isDue(d *document, recent bool, slot time.Time) bool {
	switch {
	case d == nil:
		return true
	case d.Waiting != "":
		return false
	case !recent && d.Failures == 0 && (d.SHA256 != "" || d.Absent):
		return false
	}
	return d.Looked.Before(slot)
}

// periodOf returns the period of a document. It is false if the source has no such
// period.
func (s *source) periodOf(d *document) (period, bool) {
	if s.address.cadence == standing {
		return period{}, d.Name == current
	}
	first, err := model.ParseDate(d.Name)
	if err != nil {
		return period{}, false
	}
	p := s.address.cadence.around(first)
	return p, p.first == first && p.last.Compare(s.address.first) >= 0
}

// asked returns a hash of everything that determines the document of a period.
func (s *source) asked(p period) string {
	form := url.Values{}
	for name, value := range s.address.form {
		form.Set(name, value.expand(p))
	}
	text := fmt.Sprintf("%q %q %q %q", s.dataset, s.address.url.expand(p), form.Encode(), s.address.file.expand(p))
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// host is the host that the source asks. Placeholders occur only after the host in an
// address.
func (s *source) host() string {
	u, err := url.Parse(s.address.url.expand(period{}))
	if err != nil { // the configuration was checked, so the address can be parsed
		return ""
	}
	return u.Host
}

// ask asks for the document that is due.
func (s *source) ask(ctx context.Context, now time.Time) error {
	p, due := s.due(now)
	if !due {
		return nil
	}
	d := s.document(p.name(), s.asked(p))
	q, err := s.question(p, d)
	if err != nil {
		return err
	}
	path := filepath.Join(s.scraper.incoming, s.address.file.expand(p))
	defer s.scraper.clear(path)
	s.log.Debug().Str("document", d.Name).Str("url", shownURL(q.url)).Msg("asking")
	a, err := s.scraper.fetcher.fetch(ctx, q, path)
	var t *trouble
	switch {
	case errors.As(err, &t):
		s.summary.Failed++
		return s.failed(d, t)
	case err != nil:
		return err
	case a.missing:
		return s.missing(d, p, now)
	case a.same:
		s.summary.Unchanged++
		return s.well(d, now)
	}
	s.summary.Fetched++
	d.ETag, d.LastModified = a.etag, a.modified
	return s.take(ctx, d, p, path, a.sha256, now)
}

func (s *source) question(p period, d *document) (question, error) {
	u, err := url.Parse(s.address.url.expand(p))
	if err != nil {
		return question{}, fmt.Errorf("build the URL of %s: %w", d.Name, bare(err))
	}
	q := question{url: u, redirects: s.address.redirects, manners: s.manners}
	if d.SHA256 != "" && d.Failures == 0 {
		q.etag, q.modified = d.ETag, d.LastModified
	}
	if s.address.form != nil {
		q.form = url.Values{}
		for name, value := range s.address.form {
			q.form.Set(name, value.expand(p))
		}
	}
	return q, nil
}

// missing records that the site has no such document. A recent one may still come; an
// old one is marked absent. For a document that is replaced at its address this is a
// failure, because that document must always be there.
func (s *source) missing(d *document, p period, now time.Time) error {
	if p == (period{}) {
		s.summary.Failed++
		return s.failed(d, troubled("the site answered that the document does not exist: check the url"))
	}
	if d.SHA256 != "" {
		s.log.Warn().Str("document",
			d.Name).Msg("the site no longer has a document that was published before; its published rows stay")
		return s.well(d, now)
	}
	slot := s.slot(now)
	periods := s.address.cadence.until(model.DateOf(slot.In(santiago.Zone)), s.address.first, s.address.after)
	recent := max(0, len(periods)-s.address.again)
	if d.Absent = recent == len(periods) || p.first.Compare(periods[recent].first) < 0; d.Absent {
		s.summary.Absent++
	} else {
		s.summary.NotYet++
	}
	s.log.Info().Str("document", d.Name).Bool("absent", d.Absent).Msg("the site does not have the document")
	return s.well(d, now)
}
