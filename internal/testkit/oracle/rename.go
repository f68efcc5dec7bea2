package oracle

import "time"

// Rename says that a series of a fund continues under another name from a day on. A name has at
// most one rename, and never to itself.
type Rename struct {
	Run               int
	Previous, Current string // as [SerieName] writes them
	From              time.Time
}

func (r Rename) previous() Series { return Series{r.Run, r.Previous} }
func (r Rename) current() Series  { return Series{r.Run, r.Current} }

const (
	longestChain = 32 // most renames of one series
	sideBySide   = 7  // days for which both names of a series may be quoted
)

// Refusals returns the reason why each rename is refused, or "" if it is applied (RULES 1: a
// rename is one continuous identity, an absorbed series is not linked).
func (m *Market) Refusals(renames []Rename) map[Rename]string {
	takers := map[Series]int{}
	for _, r := range renames {
		takers[r.current()]++
	}
	next := map[Series]Rename{}
	for _, r := range renames {
		if takers[r.current()] == 1 {
			next[r.previous()] = r
		}
	}
	cyclic, long, disordered, clashing := map[Rename]bool{}, map[Rename]bool{}, map[Rename]bool{}, map[Rename]bool{}
	for start, r := range next {
		path := []Rename{r}
		for at := r; len(path) <= longestChain && at.current() != start; path = append(path, at) {
			following, goesOn := next[at.current()]
			if !goesOn {
				break
			}
			at = following
		}
		if path[len(path)-1].current() == start {
			cyclic[r] = true
		}
		if len(path) > longestChain {
			mark(long, path)
		}
		if len(path) > 1 && !path[1].From.After(path[0].From) {
			mark(disordered, path[:2])
		}
		for i, step := range path {
			if m.sideBySide(start, step.current()) {
				mark(clashing, path[:i+1])
			}
		}
	}
	refusals := map[Rename]string{}
	for _, r := range renames {
		switch {
		case takers[r.current()] > 1:
			refusals[r] = "several_previous"
		case cyclic[r]:
			refusals[r] = "cycle"
		case long[r]:
			refusals[r] = "chain_too_long"
		case disordered[r]:
			refusals[r] = "dates_out_of_order"
		case len(m.quotes[r.previous()]) == 0 && len(m.quotes[r.current()]) == 0:
			refusals[r] = "unknown_series"
		case clashing[r]:
			refusals[r] = "both_quoted"
		default:
			refusals[r] = ""
		}
	}
	return refusals
}

func mark(marked map[Rename]bool, list []Rename) {
	for _, r := range list {
		marked[r] = true
	}
}

// sideBySide reports whether the earlier name is quoted for more than the allowed days after the
// first quote of the later one. Void quotes are ignored.
func (m *Market) sideBySide(earlier, later Series) bool {
	var last, first time.Time
	for _, q := range m.quotes[earlier] {
		if !q.void {
			last = q.day
		}
	}
	for _, q := range m.quotes[later] {
		if !q.void && first.IsZero() {
			first = q.day
		}
	}
	return !last.IsZero() && !first.IsZero() && last.After(first.AddDate(0, 0, sideBySide))
}

// Join returns a market in which every renamed series has its newest name. The quote of a day is
// that of the name that is valid on the day. If that name has none, it is the quote of the
// newest name that has one.
func (m *Market) Join(renames []Rename) *Market {
	next := map[Series]Rename{}
	for r, refusal := range m.Refusals(renames) {
		if refusal == "" {
			next[r.previous()] = r
		}
	}
	// A quote and its rank for the day. The lowest rank wins.
	type claim struct {
		rank int
		quote
	}
	best := map[Series]map[time.Time]claim{}
	for label, quotes := range m.quotes {
		began := time.Time{}
		for _, r := range next {
			if r.current() == label {
				began = r.From
			}
		}
		newest, behind := label, 1
		for r, renamed := next[label]; renamed; r, renamed = next[newest] {
			newest, behind = r.current(), behind+1
		}
		if best[newest] == nil {
			best[newest] = map[time.Time]claim{}
		}
		for _, q := range quotes {
			rank := behind
			given, up := next[label]
			if !q.day.Before(began) && (!up || q.day.Before(given.From)) {
				rank = 0
			}
			if held, taken := best[newest][q.day]; !taken || rank < held.rank {
				best[newest][q.day] = claim{rank, q}
			}
		}
	}
	joined := New()
	for series, days := range best {
		for _, c := range days {
			joined.put(series.Run, series.Name, c.quote)
		}
	}
	return joined
}

// Quotas returns the quotas of a series by day (YYYY-MM-DD), without void rows.
func (m *Market) Quotas(s Series) map[string]float64 {
	quotas := map[string]float64{}
	for _, q := range m.quotes[s] {
		if !q.void {
			quotas[q.day.Format(time.DateOnly)] = q.quota
		}
	}
	return quotas
}
