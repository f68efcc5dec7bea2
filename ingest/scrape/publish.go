package scrape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"cuota/ingest"
)

// waiting counts the payloads that were judged good and are not yet published.
func (s *Scraper) waiting() int {
	n := 0
	for _, source := range s.sources {
		for _, d := range source.documents {
			if d.Waiting != "" {
				n++
			}
		}
	}
	return n
}

// publish publishes everything that waits. If publishing fails, the rest keeps waiting and
// is tried again after a pause. With once, the error is returned; otherwise it is logged.
func (s *Scraper) publish(ctx context.Context, withIngester WithIngester, once bool) error {
	err := withIngester(ctx, func(ingester Ingester) error {
		for _, source := range s.sources {
			for _, name := range slices.Sorted(maps.Keys(source.documents)) {
				if d := source.documents[name]; d.Waiting != "" {
					if err := source.publish(ctx, ingester, d); err != nil {
						return fmt.Errorf("source %s, document %s: %w", source.name, d.Name, err)
					}
				}
			}
		}
		return nil
	})
	if err == nil || once || ctx.Err() != nil {
		return err
	}
	s.publishFrom = s.clock.Now().Add(publishAgain)
	s.log.Error().Err(err).Int("waiting", s.waiting()).Time("retry", s.publishFrom).Msg("payloads not published")
	return nil
}

// publish publishes one payload from the archive.
func (s *source) publish(ctx context.Context, ingester Ingester, d *document) error {
	path := filepath.Join(s.scraper.incoming, s.fileName(d))
	defer s.scraper.clear(path)
	if err := s.scraper.restore(ctx, d.Waiting, path); err != nil {
		return err
	}
	report, err := ingester.File(ctx, ingest.Request{Dataset: s.dataset, Path: path})
	if err != nil {
		return err
	}
	if d.SHA256 != "" {
		d.Earlier = append(d.Earlier, d.SHA256)
	}
	d.SHA256, d.Waiting = d.Waiting, ""
	s.touched = true
	s.summary.Rows += report.Published
	s.summary.Rejected += report.Rejected
	if report.Quarantined {
		s.summary.Quarantined++
		s.log.Warn().Str("document", d.Name).Str("sha256", d.SHA256).Str("reason",
			report.FirstRejects[0].Reason).Msg("document is in quarantine")
		return s.keep(d)
	}
	s.summary.Published++
	for _, of := range report.Findings {
		s.log.Warn().Str("document", d.Name).Str("finding",
			of.String()).Msg("document differs from the files before it")
	}
	s.log.Info().Str("document", d.Name).Str("sha256", d.SHA256).Int("version", len(d.Earlier)+1).
		Uint64("rows", report.Published).Uint64("rejected", report.Rejected).Msg("document published")
	return s.keep(d)
}

// fileName is the file name under which a document's payload is ingested.
func (s *source) fileName(d *document) string {
	if s.address == nil {
		return d.Name
	}
	p, _ := s.periodOf(d)
	return s.address.file.expand(p)
}

// restore writes an archived payload to the file at path.
func (s *Scraper) restore(ctx context.Context, sha, path string) (err error) {
	payload, err := s.archive.Open(ctx, sha)
	if err != nil {
		return err
	}
	defer func() { _ = payload.Close() }() // only read from: no data can be lost
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
	if err != nil {
		return fmt.Errorf("restore a payload from the archive: %w", err)
	}
	_, err = io.Copy(file, payload)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("restore a payload from the archive: %w", err)
	}
	return nil
}

// clear removes the file of a payload that is archived or was refused.
func (s *Scraper) clear(path string) {
	if err := ignoreMissing(os.Remove(path)); err != nil {
		s.log.Warn().Err(err).Msg("could not delete a temporary payload; the next start deletes it")
	}
}
