package scrape

import "slices"

// Summary counts what became of one source's documents since Start.
type Summary struct {
	Source    string
	Fetched   int    // payloads that arrived whole, files of a folder included
	Unchanged int    // answers that known bytes stand, by status 304 or by their sha256
	Published int    // payloads
	Rows      uint64 // published
	Rejected  uint64 // rows of published payloads
	NotYet    int    // documents that are expected and are not there yet
	Absent    int    // old documents that were never there
	Reverted  int    // documents that went back to bytes published before
	Refused   int    // payloads that are not what they should be
	Failed    int    // exchanges that failed
	// Trouble is what the source still lacks; empty when it is in order.
	Trouble string
}

// Summaries tells of each source, in the order of the configuration.
func (s *Scraper) Summaries() []Summary {
	summaries := make([]Summary, 0, len(s.sources))
	for _, source := range s.sources {
		summary := source.summary
		summary.Trouble = source.trouble()
		summaries = append(summaries, summary)
	}
	return summaries
}

// trouble is the first of a source's standing troubles.
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

// tell logs how the sources stand that had something to do since it last did.
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
			Uint64("rows", sum.Rows).Uint64("rejected", sum.Rejected).Int("not_yet", sum.NotYet).Int("absent", sum.Absent).
			Int("reverted", sum.Reverted).Int("refused", sum.Refused).Int("failed", sum.Failed).
			Msg("source looked at; counts are since the start")
	}
}
