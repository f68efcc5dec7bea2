//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// longSeries is a series that every file has from the first weeks on.
const longSeries = "/api/real_assets/1161378270"

// Lists that readers walk through, page by page.
var walkedLists = []string{
	"/api/screener?limit=1&sort=tac", longSeries + "/days?limit=25",
	"/api/days?run=9809&from_date=2019-10-16&to_date=2020-10-15&limit=40",
}

// Questions whose answers tell their moment, and can be asked about an earlier one.
var questionsOfMoments = []string{
	longSeries + "/returns", longSeries + "/returns?as_of_date=2019-11-29", longSeries + "/days?from_date=2019-11-01",
	"/api/market-summary",
}

// copiesReader asks the balancer again and again.
type copiesReader struct {
	*witness
	api    string
	key    string
	name   string // address that it says it has, because requests of one address are limited
	random *rand.Rand
	client *http.Client
	stop   <-chan struct{}
	pace   *time.Ticker
	kept   map[string]copiesAnswer // answers whose tag it has, by path
}

// readersOfCopies is how many readers there are.
const readersOfCopies = 10

// newCopiesReader makes a reader. It reads until stop is closed.
func newCopiesReader(w *witness, api, key string, seed, number uint64, stop <-chan struct{}) *copiesReader {
	return &copiesReader{
		witness: w, api: api, key: key, name: fmt.Sprintf("10.%d.0.1", number), stop: stop,
		random: rand.New(rand.NewPCG(seed, number)), kept: map[string]copiesAnswer{},
		// nginx waits for 30 seconds for a server that was stopped, and then asks the next one.
		client: &http.Client{Timeout: 3 * time.Minute, Transport: &http.Transport{DisableCompression: true}},
		pace:   time.NewTicker(time.Second / 4),
	}
}

// close ends a reader that reads no more.
func (r *copiesReader) close() {
	r.pace.Stop()
	r.client.CloseIdleConnections()
}

// startCopiesReaders starts all readers. The function that it returns stops them.
func startCopiesReaders(w *witness, api, key string, seed uint64) (finish func()) {
	stop := make(chan struct{})
	var reading sync.WaitGroup
	for n := range uint64(readersOfCopies) {
		reading.Go(func() { newCopiesReader(w, api, key, seed, n+1, stop).run() })
	}
	return sync.OnceFunc(func() {
		close(stop)
		reading.Wait()
	})
}

func (r *copiesReader) run() {
	defer r.close()
	for r.wait() {
		switch r.random.IntN(4) {
		case 0:
			r.walk(walkedLists[r.random.IntN(len(walkedLists))])
		case 1:
			r.lookBack(questionsOfMoments[r.random.IntN(len(questionsOfMoments))])
		default:
			all := append(pathsToRead[:len(pathsToRead):len(pathsToRead)], questionsOfMoments...)
			r.poll(all[r.random.IntN(len(all))])
		}
	}
}

// wait waits before the next request, and returns false when the reader must stop.
func (r *copiesReader) wait() bool {
	select {
	case <-r.stop:
		return false
	default:
	}
	select {
	case <-r.stop:
		return false
	case <-r.pace.C:
		return true
	}
}

// ask sends a request and takes the answer down. It returns false if there is none.
func (r *copiesReader) ask(q question) (copiesAnswer, bool) {
	was := r.begin()
	got := r.send(q)
	return got, r.end(q, was, got)
}

func (r *copiesReader) send(q question) (got copiesAnswer) {
	// A request that was sent is answered, also while the test ends.
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, r.api+q.target(), nil)
	if err != nil {
		return copiesAnswer{err: err}
	}
	request.Header.Set("X-Api-Key", r.key)
	request.Header.Set("X-Forwarded-For", r.name)
	if q.tag != "" {
		request.Header.Set("If-None-Match", q.tag)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return copiesAnswer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	servers := strings.Split(response.Header.Get("X-Answered-By"), ", ") // the last one has answered
	return copiesAnswer{
		status: response.StatusCode, batch: response.Header.Get("X-Batch-Id"), tag: response.Header.Get("ETag"),
		published:  response.Header.Get("X-Batch-Published-At"),
		superseded: response.Header.Get("X-Batch-Superseded-At"),
		server:     servers[len(servers)-1], body: string(body), err: err,
	}
}

// poll asks again with the tag of the answer that the reader has. If nothing has changed, the batch is the same.
func (r *copiesReader) poll(path string) {
	had := r.kept[path]
	got, answered := r.ask(question{path: path, tag: had.tag})
	if !answered {
		return
	}
	switch got.status {
	case http.StatusOK:
	case http.StatusNotModified:
		r.count("polls without news")
		if got.batch != had.batch {
			r.t.Errorf("%s: nothing has changed since batch %s, says a server with batch %s", path, had.batch,
				got.batch)
		}
		return
	default:
		return // the witness has told it
	}
	r.count("polls with news")
	if had.batch != "" && planOf(got.batch) < planOf(had.batch) {
		r.t.Errorf("%s: batch %s, and batch %s before", path, got.batch, had.batch)
	}
	r.kept[path] = got
}

// lookBack asks what was known at the moment of an earlier batch. As long as that must be readable, the answer is from
// it.
func (r *copiesReader) lookBack(path string) {
	batch, moment := r.anyMoment(r.random)
	if batch == "" {
		return
	}
	q := question{path: path, moment: moment}
	got, answered := r.ask(q)
	switch {
	case !answered:
	case got.status == http.StatusOK && got.batch == batch:
		r.count("looks back")
	case got.status == http.StatusNotFound && got.batch == batch:
		r.count("looks back to a batch that does not know the series")
	case !r.mayBeGone(batch):
		r.t.Errorf("%s: %d from batch %s, want %s: %.300s", q.target(), got.status, got.batch, batch, got.body)
	case got.status == http.StatusGone && codeOf(got.body) != "known_at_gone",
		got.status == http.StatusOK && planOf(got.batch) > planOf(batch),
		got.status == http.StatusOK && (got.superseded == "" || got.superseded > moment):
		r.t.Errorf("%s: %d from batch %s, superseded at %q, when batch %s is gone: %.300s", q.target(), got.status,
			got.batch, got.superseded, batch, got.body)
	default:
		r.count("looks back to a batch that is gone")
	}
}

// walkedPage is a page of a list.
type walkedPage struct {
	Data []struct {
		ID string `json:"id"`
	} `json:"data"`
	Links *struct {
		Next string `json:"next"`
	} `json:"links"`
}

// attemptsOfPage is how often a page is asked for, as a patient client does, until a walk is given up.
const attemptsOfPage = 20

// walk asks for all pages of a list. They are of one batch, and no row is in two of them.
func (r *copiesReader) walk(list string) {
	// Some readers are slow, so that batches follow each other while they walk.
	slow := 1 + r.random.IntN(2)*r.random.IntN(8)
	batch, seen := "", map[string]bool{}
	for next := list; next != ""; {
		got, answered := r.page(question{path: next, named: batch != ""})
		switch {
		case !answered:
			r.count("walks that were given up")
			return
		case got.status == http.StatusGone:
			if codeOf(got.body) != "batch_gone" || !r.mayBeGone(batch) {
				r.t.Errorf("%s: %d in a walk through batch %s: %.300s", next, got.status, batch, got.body)
			}
			r.count("walks through a batch that was gone")
			return
		case batch != "" && got.batch != batch:
			r.t.Errorf("%s: a page of batch %s after one of batch %s", next, got.batch, batch)
			return
		}
		var page walkedPage
		if err := json.Unmarshal([]byte(got.body), &page); err != nil {
			r.t.Errorf("%s: %v: %.300s", next, err, got.body)
			return
		}
		for _, row := range page.Data {
			if seen[row.ID] {
				r.t.Errorf("%s: %s is in two pages", next, row.ID)
			}
			seen[row.ID] = true
		}
		batch, next = got.batch, ""
		if page.Links != nil {
			next = strings.TrimPrefix(page.Links.Next, r.api)
		}
		for range slow {
			if next != "" && !r.wait() {
				return
			}
		}
	}
	r.count("walks")
}

// page asks for a page until it is answered.
func (r *copiesReader) page(q question) (got copiesAnswer, answered bool) {
	for range attemptsOfPage {
		if got, answered = r.ask(q); answered || !r.wait() {
			return got, answered
		}
	}
	return got, false
}
