package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var batchOfReply = regexp.MustCompile(`"batch_id":"([^"]+)"`)

// pathsToRead are requests whose replies depend only on the batch.
var pathsToRead = []string{
	"/api/screener?q=9809", "/api/screener?q=9810&currency=PESOS&sort=1y", "/api/screener?limit=50&sort=tac",
	"/api/real_assets/1161378270/returns", "/api/real_assets/1161378270/returns?as_of_date=2019-11-04",
}

// reader sends requests to the API while faults happen. All replies for one batch must
// agree; a reply may also say that there is no batch now.
type reader struct {
	api func() string // the address now; "" while there is none
	key string

	replies  int // replies from a batch
	refusals int // replies that nothing can be answered now
	nobody   int // requests without a complete reply

	stop  chan struct{}
	ended sync.WaitGroup
}

// startReader starts to send requests. finish stops it; its counts are complete then.
func startReader(t *testing.T, key string, api func() string) *reader {
	r := &reader{api: api, key: key, stop: make(chan struct{})}
	r.ended.Go(func() { r.run(t) })
	return r
}

func (r *reader) finish() {
	close(r.stop)
	r.ended.Wait()
}

func (r *reader) run(t *testing.T) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}} // a paused process never answers
	defer client.CloseIdleConnections()
	said := map[string]string{}               // by batch and path
	slowly := time.NewTicker(time.Second / 8) // the limit is ten requests a second for an address
	defer slowly.Stop()
	for n := 0; ; n++ {
		select {
		case <-r.stop:
			return
		case <-slowly.C:
		}
		path := pathsToRead[n%len(pathsToRead)]
		status, batch, body, err := r.ask(client, path)
		switch {
		case err != nil:
			r.nobody++
		case status == http.StatusServiceUnavailable:
			r.refusals++
		case status == http.StatusNotFound && strings.Contains(body, `"code":"not_found"`):
			// The batch does not have the series yet.
		case status != http.StatusOK || batch == "":
			t.Errorf("%s: %d %.300s", path, status, body)
			return
		default:
			r.replies++
			before, known := said[batch+path]
			if known && before != body {
				t.Errorf("%s says two things of batch %s:\n%s\n%s", path, batch, before, body)
				return
			}
			said[batch+path] = body
		}
	}
}

func (r *reader) ask(client *http.Client, path string) (status int, batch, body string, err error) {
	api := r.api()
	if api == "" {
		return 0, "", "", io.EOF
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, api+path, nil)
	if err != nil {
		return 0, "", "", err
	}
	request.Header.Set("X-Api-Key", r.key)
	response, err := client.Do(request)
	if err != nil {
		return 0, "", "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if found := batchOfReply.FindSubmatch(text); found != nil {
		batch = string(found[1])
	}
	return response.StatusCode, batch, string(text), err
}
