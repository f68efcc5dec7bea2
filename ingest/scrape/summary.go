package scrape

import "slices"

// Summary counts what happened to the documents of one source since Start.
type Summary struct {
	Source    string
	Fetched   int    // payloads that arrived whole, files of a folder included
	Unchanged int    // answers with status 304, or with bytes that were known by their sha256
	Published int    // payloads
	Rows      uint64 // rows published
	Rejected  uint64 // rows of published payloads
	NotYet    int    // documents that are expected but do not exist yet
	Absent    int    // old documents that do not exist
	Reverted  int    // documents whose bytes are again those of an earlier version
	Refused   int    // payloads that are not data of the dataset and period
	// Quarantined counts payloads that wait for a person, because their shapes differ from before.
	Quarantined int
	Failed      int // requests, or looks at a folder, that failed
	// Trouble is what is wrong with the source now; empty when nothing is.
	Trouble string
}

// Summaries returns a summary of each source, in the order of the configuration.
func (s *Scraper) Summaries() []Summary {
	summaries := make([]Summary, 0, len(s.sources))
	for _, source := range s.sources {
		summary := source.summary
		summary.Trouble = source.trouble()
		summaries = append(summaries, summary)
	}
	return summaries
}

// trouble is the first thing that is still wrong with a source.
func (s *source) trouble() string {
	names := make([]string, 0, len(s.documents))
	for name, d := range s.documents {
		if d.Trouble != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	first := slices.Min(names)
	return first + ": " + s.documents[first].Trouble
}

// tell logs the summaries of the sources that did something since it last did so.
func (s *Scraper) tell() {
	for _, source := range s.sources {
		if !source.touched {
			continue
		}
		source.touched = false
		sum := source.summary
		event := source.log.Info()
		if trouble := source.trouble(); trouble != "" {
			event = source.log.Warn().Str("trouble", trouble)
		}
		event.Int("fetched", sum.Fetched).Int("unchanged", sum.Unchanged).Int("published", sum.Published).
			Uint64("rows", sum.Rows).Uint64("rejected", sum.Rejected).Int("not_yet", sum.NotYet).Int("absent",
			sum.Absent).
			Int("reverted", sum.Reverted).Int("refused", sum.Refused).Int("failed", sum.Failed).
			Msg("source checked; the counts are since the start of the scraper")
	}
}
