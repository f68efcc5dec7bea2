package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// injected is what happens to requests of a case.
type injected struct {
	On         string `json:"on"`   // with which their paths begin
	Skip       int    `json:"skip"` // so many pass before
	Times      int    `json:"times"`
	Do         string `json:"do"`
	Status     int    `json:"status"`
	Code       string `json:"code"`
	RetryAfter string `json:"retry_after"` // seconds, or "date"
}

// faultProxy stands between a client and the real service. The first part of a path is the name of a case, whose
// faults it injects.
type faultProxy struct {
	t         *testing.T
	api, key  string
	cases     []*conformanceCase
	publish   func()
	elsewhere *httptest.Server
	strayed   strayed

	lock    sync.Mutex
	callers int
	states  map[string]*caseState
}

// strayed counts what a client asks of a host that is not the service.
type strayed struct {
	lock  sync.Mutex
	count int
}

func (s *strayed) ServeHTTP(http.ResponseWriter, *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.count++
}

func (s *strayed) asked() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.count
}

// caseState is what has happened in a case.
type caseState struct {
	lock    sync.Mutex
	matched map[*injected]int
	opens   map[*injected]time.Time // of a busy service
	seen    []string                // method, path, query, range of each request
	strange string                  // what no request may be
	gives   any                     // of the service, before the first request
	batch   string                  // that the service answered from then
}

func (p *faultProxy) state(of string) *caseState {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.states[of] == nil {
		p.states[of] = &caseState{matched: map[*injected]int{}, opens: map[*injected]time.Time{}}
	}
	return p.states[of]
}

// ServeHTTP implements http.Handler.
func (p *faultProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	path = "/" + path
	at := slices.IndexFunc(p.cases, func(c *conformanceCase) bool { return c.Name == name })
	if at < 0 {
		p.t.Errorf("a request for %s, which is of no case", r.URL.Path)
		http.NotFound(w, r)
		return
	}
	c, s := p.cases[at], p.state(name)
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.seen) == 0 {
		s.batch = in[string](in[map[string]any](p.ask("/api/screener?limit=1"), "meta"), "batch_id")
		s.gives = p.answerOf(c.Ask)
	}
	s.seen = append(s.seen, strings.Join([]string{r.Method, path, r.URL.RawQuery, r.Header.Get("Range")}, " "))
	key := p.key
	if c.Ask.Key != "" {
		key = c.Ask.Key
	}
	if r.Header.Get("X-Api-Key") != key || strings.Contains(r.URL.String(), key) {
		s.strange = "a request has not the key in its header alone: " + r.URL.Path
	}
	var does *injected
	for _, f := range c.Faults {
		if strings.HasPrefix(path, f.On) {
			if s.matched[f]++; s.matched[f] > f.Skip && s.matched[f] <= f.Skip+max(1, f.Times) || f.Do == "busy" {
				does = f
			}
		}
	}
	if does == nil {
		does = &injected{}
	}
	p.answer(w, r, path, does, s)
}

// answer answers a request with a fault.
func (p *faultProxy) answer(w http.ResponseWriter, r *http.Request, path string, f *injected, s *caseState) {
	switch f.Do {
	case "busy":
		if opens, is := s.opens[f]; is && !time.Now().Before(opens) {
			p.pass(w, r, path, nil)
			return
		}
		wait := time.Second
		if f.RetryAfter == "date" {
			wait = 2 * time.Second
		}
		opens := time.Now().Add(wait)
		refusal := *f
		if f.RetryAfter == "date" {
			opens = opens.Truncate(time.Second)
			refusal.RetryAfter = opens.UTC().Format(http.TimeFormat)
		}
		// A timer of a client may end some milliseconds early.
		s.opens[f] = opens.Add(-20 * time.Millisecond)
		refuse(w, &refusal, s.batch)
	case "refuse":
		refuse(w, f, s.batch)
	case "answer as another program":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<h1>Bad gateway")
	case "redirect":
		w.Header().Set("Location", p.elsewhere.URL+"/")
		w.WriteHeader(http.StatusTemporaryRedirect)
	case "drop":
		closeConnection(w)
	case "publish":
		p.publish()
		p.pass(w, r, path, nil)
	case "":
		p.pass(w, r, path, nil)
	default:
		p.pass(w, r, path, p.changeOf(f.Do))
	}
}

// refuse answers as the API does when it refuses a request.
func refuse(w http.ResponseWriter, f *injected, batch string) {
	body := map[string]any{"detail": "An injected refusal.", "code": f.Code, "request_id": "INJECTED"}
	if f.Status == http.StatusGone {
		body["current_batch_id"] = batch
	}
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	_ = json.NewEncoder(w).Encode(body) // an error only means that the client has gone
}

// closeConnection ends a connection without a further byte.
func closeConnection(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// change changes a reply of the service on its way. It may cut the body, by returning less with cut.
type change func(header http.Header, body []byte) (changed []byte, cut bool)

// changeOf returns the change of a name.
func (p *faultProxy) changeOf(name string) change {
	members := func(edit func(said map[string]any, header http.Header)) change {
		return func(header http.Header, body []byte) ([]byte, bool) {
			said := map[string]any{}
			read := json.NewDecoder(bytes.NewReader(body))
			read.UseNumber()
			if err := read.Decode(&said); err != nil {
				p.t.Error(err)
			}
			edit(said, header)
			changed, err := json.Marshal(said)
			if err != nil {
				p.t.Error(err)
			}
			return changed, false
		}
	}
	switch name {
	case "cut":
		return func(_ http.Header, body []byte) ([]byte, bool) { return body[:len(body)/2], true }
	case "change a byte":
		return func(_ http.Header, body []byte) ([]byte, bool) {
			body[len(body)-1] ^= 1
			return body, false
		}
	case "lose the last line":
		return func(_ http.Header, body []byte) ([]byte, bool) {
			return body[:bytes.LastIndexByte(bytes.TrimSpace(body), '\n')+1], false
		}
	case "lose a row":
		row := regexp.MustCompile(`(?m)^\{"table".*\n`)
		return func(_ http.Header, body []byte) ([]byte, bool) {
			at := row.FindIndex(body)
			return slices.Delete(body, at[0], at[1]), false
		}
	case "add fields":
		return members(func(said map[string]any, _ http.Header) { addFields(said) })
	case "name another batch":
		return members(func(said map[string]any, header http.Header) {
			header.Set("X-Batch-Id", "20990101-9-000000000000")
			said["meta"].(map[string]any)["batch_id"] = "20990101-9-000000000000"
		})
	case "lead elsewhere":
		return members(func(said map[string]any, header http.Header) {
			said["links"] = map[string]any{"next": p.elsewhere.URL + "/api/screener"}
			header.Set("Link", "<"+p.elsewhere.URL+`/api/screener>; rel="next"`)
		})
	}
	p.t.Errorf("no fault is called %q", name)
	return nil
}

// addFields adds a field that no client knows to every object of a value.
func addFields(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if name != "tac_kinds" { // whose names are ids
				addFields(inner)
			}
		}
		value["novedad"] = map[string]any{"año": 2026, "lista": []any{1, nil, "ñ"}}
	case []any:
		for _, inner := range value {
			addFields(inner)
		}
	}
}

// pass gives a request to the service, and changes its reply.
func (p *faultProxy) pass(w http.ResponseWriter, r *http.Request, path string, change change) {
	_, target, _ := strings.Cut(r.URL.EscapedPath()[1:], "/") // without the name of the case
	request, err := http.NewRequestWithContext(r.Context(), r.Method, p.api+"/"+target, r.Body)
	if err != nil {
		p.t.Error(err)
		return
	}
	request.URL.RawQuery = r.URL.RawQuery
	request.Header = r.Header.Clone()
	request.Header.Set("X-Forwarded-For", p.caller())
	if change != nil { // it reads the body
		request.Header.Set("Accept-Encoding", "identity")
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		p.t.Errorf("%s: %v", path, err)
		closeConnection(w)
	}
	defer func() { _ = response.Body.Close() }() // it was read to its end
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Error(err)
	}
	cut := false
	header := w.Header()
	for name, values := range response.Header {
		header[name] = values
	}
	header.Del("Content-Length")
	length := len(body)
	if change != nil {
		if body, cut = change(header, body); !cut {
			length = len(body)
		}
	}
	header.Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write(body) // an error only means that the client has gone
	if cut {
		_ = http.NewResponseController(w).Flush() // what is cut must arrive
		closeConnection(w)
	}
}

// caller returns an address of its own for each request, because one address may ask ten times a second.
func (p *faultProxy) caller() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.callers++
	return fmt.Sprintf("10.3.%d.%d", p.callers>>8, p.callers&255)
}

// counted returns how many requests asked for what a case is about, for the rest of a file, and for how many batches
// the pages after the first asked.
func (s *caseState) counted(c *conformanceCase) (asked, ranges, batches int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	of := pathOf[c.Ask.What]
	if len(c.Faults) > 0 {
		of = c.Faults[0].On
	}
	named := map[string]bool{}
	batch := regexp.MustCompile(`batch_id=([^& ]+)`)
	for _, text := range s.seen {
		parts := strings.Split(text, " ")
		if !strings.HasPrefix(parts[1], of) {
			continue
		}
		asked++
		if parts[3] != "" {
			ranges++
		}
		if found := batch.FindStringSubmatch(parts[2]); asked > 1 {
			named[strings.Join(found, "")] = true
		}
	}
	return asked, ranges, len(named)
}
