//go:build linux

package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/santiago"
)

// witness knows what readers were answered, whichever server answered. It fails the test if answers contradict each
// other.
type witness struct {
	t      *testing.T
	now    func() *spell
	copyAt func(address string) string // the copy of a query server

	mu      sync.Mutex
	newest  uint64            // plan of the newest batch that an answer was from
	damaged map[string]bool   // copies that may not have noticed yet that rows of theirs are damaged
	gone    uint64            // batches up to that of this plan need not be readable, because of damage
	said    map[string]string // by batch, day and question: the answer
	moments map[string]string // of batches: when servers began to answer from them
	tally   map[string]int    // answers by status, by server, and what readers did
	failed  map[string]int    // requests without an answer, by what went on and what was wrong
	last    time.Time         // when an answer arrived
	longest time.Duration     // time in which no answer arrived
}

func newWitness(t *testing.T, now func() *spell, copyAt func(string) string) *witness {
	return &witness{t: t, now: now, copyAt: copyAt, damaged: map[string]bool{}, said: map[string]string{},
		moments: map[string]string{}, tally: map[string]int{}, failed: map[string]int{}, last: time.Now()}
}

// copiesAnswer is what a reader got.
type copiesAnswer struct {
	status     int
	batch      string // X-Batch-Id
	published  string // X-Batch-Published-At
	superseded string // X-Batch-Superseded-At
	tag        string
	server     string // address of the query server that answered
	body       string
	err        error // why there is no answer
}

// question is what a reader asks.
type question struct {
	path   string
	tag    string // that it has; "" if none
	moment string // known_at; "" if it asks about now
	// named says that the path names a batch, so that the answer need not be from the newest one.
	named bool
}

// target is the path with all parameters.
func (q question) target() string {
	if q.moment == "" {
		return q.path
	}
	separator := "?"
	if strings.Contains(q.path, "?") {
		separator = "&"
	}
	return q.path + separator + "known_at=" + q.moment
}

// sent is what was so when a request was sent.
type sent struct {
	spell *spell
	floor uint64 // no server may answer from an older batch than that of this plan
	day   string
	// damaged are the copies whose answers are not to be believed.
	damaged map[string]bool
}

func (w *witness) begin() sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return sent{w.now(), w.newest, today(), maps.Clone(w.damaged)}
}

// today is the day in Santiago, of which ages in answers are.
func today() string { return time.Now().In(santiago.Zone).Format(time.DateOnly) }

// dayOf is the day in Santiago of a moment.
func dayOf(moment string) string {
	at, _ := time.Parse(time.RFC3339, moment) // a server wrote it
	return at.In(santiago.Zone).Format(time.DateOnly)
}

// planOf is the number of the plan in the name of a batch; 0 if it is no name.
func planOf(batch string) uint64 {
	parts := strings.Split(batch, "-")
	if len(parts) != 3 {
		return 0
	}
	number, _ := strconv.ParseUint(parts[1], 10, 64)
	return number
}

// end takes an answer down. It returns false if there is none.
func (w *witness) end(q question, was sent, got copiesAnswer) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case got.err != nil:
		return w.fail(q, was, "no answer: "+got.err.Error())
	case got.status == http.StatusServiceUnavailable, got.status == http.StatusBadGateway,
		got.status == http.StatusGatewayTimeout:
		return w.fail(q, was, fmt.Sprintf("%d %s", got.status, codeOf(got.body)))
	}
	w.longest = max(w.longest, time.Since(w.last))
	w.last = time.Now()
	w.tally[fmt.Sprintf("answers %d", got.status)]++
	name := w.copyAt(got.server)
	w.tally["answers of copy "+name]++
	if was.damaged[name] || w.damaged[name] {
		w.tally["answers of a copy that had not noticed its damage yet"]++
		return false
	}
	switch {
	case got.status == http.StatusOK, got.status == http.StatusNotModified:
		w.check(q, was, got)
	case got.status == http.StatusNotFound && q.moment != "": // an early batch may not know the series yet
		got.body = codeOf(got.body)
		w.check(q, was, got)
	case got.status == http.StatusGone && (q.named || q.moment != ""): // the reader decides whether it may be
	default:
		w.t.Errorf("%s: %d of %s: %.300s", q.target(), got.status, got.server, got.body)
	}
	return true
}

// fail takes down that a request failed. The caller holds mu.
func (w *witness) fail(q question, was sent, why string) bool {
	what := why
	if at := strings.LastIndex(why, ": "); at > 0 { // without ports of connections
		what = why[:min(at, 9)] + why[at:]
	}
	if was.spell.serves && was.spell == w.now() {
		w.t.Errorf("%s: %s, while: %s", q.target(), why, was.spell.what)
	}
	w.failed[was.spell.what+" → "+what]++
	w.tally["failed"]++
	return false
}

// codeOf is the code of an error.
func codeOf(body string) string {
	_, after, _ := strings.Cut(body, `"code":"`)
	code, _, _ := strings.Cut(after, `"`)
	return code
}

// check compares an answer from a batch with those before. The caller holds mu.
func (w *witness) check(q question, was sent, got copiesAnswer) {
	plan := planOf(got.batch)
	if plan == 0 {
		w.t.Errorf("%s: %d from batch %q", q.target(), got.status, got.batch)
		return
	}
	if q.moment == "" && !q.named {
		if plan < was.floor {
			w.t.Errorf("%s: %s answers from batch %s after an answer from plan %d had arrived", q.target(), got.server,
				got.batch, was.floor)
		}
		w.newest = max(w.newest, plan)
	}
	if known := w.moments[got.batch]; known == "" {
		w.moments[got.batch] = got.published
	} else if got.published != "" && got.published != known {
		w.t.Errorf("%s says that batch %s was published at %s, another server at %s", got.server, got.batch,
			got.published, known)
	}
	day := was.day
	switch {
	case q.moment != "":
		day = dayOf(q.moment)
	case day != today(): // the answer may be of either
		return
	}
	if got.status == http.StatusNotModified {
		return
	}
	key := strings.Join([]string{got.batch, day, q.path}, " ")
	if before, known := w.said[key]; known && before != got.body {
		w.t.Errorf("%s says two things of batch %s (this time %s):\n%s", q.target(), got.batch, got.server,
			firstDifference(got.body, before))
		return
	}
	w.said[key] = got.body
}

// keptBatches is how many batches are readable at least. A server that has built two more, whose moments have not come,
// keeps fewer of those that readers know.
const keptBatches = 20 - 2

// mayBeGone reports whether a batch need not be readable any more.
func (w *witness) mayBeGone(batch string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return planOf(batch)+keptBatches <= w.newest || planOf(batch) <= w.gone
}

// damage says that rows of a copy are being damaged. Until its projector has inspected the tables, a query server of
// its own may read tables without these rows (decision 0035). Batches that had the rows stay damaged in that copy.
func (w *witness) damage(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone, w.damaged[name] = math.MaxUint64, true
}

// inspected says that a copy knows which of its rows are damaged.
func (w *witness) inspected(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.damaged, name)
}

// mended says that all copies answer. A batch may be built whose moment has not come.
func (w *witness) mended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = min(w.gone, w.newest+1)
}

// anyMoment draws a batch whose moment is known.
func (w *witness) anyMoment(random *rand.Rand) (batch, moment string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var known []string
	for batch, moment := range w.moments {
		if moment != "" {
			known = append(known, batch)
		}
	}
	if len(known) == 0 {
		return "", ""
	}
	slices.SortFunc(known, func(a, b string) int { return int(planOf(a)) - int(planOf(b)) })
	batch = known[random.IntN(len(known))]
	return batch, w.moments[batch]
}

// count counts what a reader did.
func (w *witness) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally[what]++
}

// batches returns the names of all batches that answers were from.
func (w *witness) batches() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.moments))
}

// summary describes what was answered.
func (w *witness) summary() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(w.tally)) {
		fmt.Fprintf(&b, "  %6d  %s\n", w.tally[what], what)
	}
	fmt.Fprintf(&b, "%d batches, %d answers compared; the longest time without an answer: %s; requests that failed:\n",
		len(w.moments), len(w.said), w.longest.Round(time.Millisecond))
	for _, what := range slices.Sorted(maps.Keys(w.failed)) {
		fmt.Fprintf(&b, "  %6d  %s\n", w.failed[what], what)
	}
	return b.String()
}
