package scrape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxRedirects  = 5
	maxValidator  = 1 << 10 // bytes of an ETag or a Last-Modified
	maxRetryAfter = time.Hour
)

// trouble is the failure of a source to give what was asked for. It is recorded and
// tried again, and does not stop other sources.
type trouble struct {
	reason string
	after  time.Duration // minimum pause that the site asked for
}

func (t *trouble) Error() string { return t.reason }

func troubled(format string, args ...any) *trouble {
	return &trouble{reason: fmt.Sprintf(format, args...)}
}

// question is one request.
type question struct {
	url       *url.URL
	form      url.Values // nil: a GET
	etag      string     // of the bytes that are known; empty when there are none
	modified  string
	redirects []string
	manners
}

// answer is the response of a site: a complete payload, "not modified", or "no such
// document".
type answer struct {
	sha256   string // of the payload; empty when there is none
	etag     string
	modified string
	same     bool
	missing  bool
}

// fetcher makes requests, to each host at its own pace.
type fetcher struct {
	agent     string
	pace      *pace
	transport *http.Transport
}

func newFetcher(agent string, clock Clock) *fetcher {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 64 << 10
	return &fetcher{agent: agent, pace: &pace{clock: clock, last: map[string]time.Time{}}, transport: transport}
}

func (f *fetcher) close() { f.transport.CloseIdleConnections() }

// fetch makes the request and writes the payload to the file at path. The error is a
// *trouble if the site caused it; the file at path is then not a complete payload.
func (f *fetcher) fetch(ctx context.Context, q question, path string) (answer, error) {
	if err := f.pace.ask(ctx, q.url.Host, q.interval); err != nil {
		return answer{}, err
	}
	limited, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	request, err := f.request(limited, q)
	if err != nil {
		return answer{}, err
	}
	client := http.Client{Transport: f.transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		return f.redirect(next, via, q)
	}}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, f.blame(ctx, err, q)
	}
	defer func() { _ = response.Body.Close() }() // only read from
	return f.read(ctx, q, response, path)
}

func (f *fetcher) request(ctx context.Context, q question) (*http.Request, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if q.form != nil {
		method, body = http.MethodPost, strings.NewReader(q.form.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, q.url.String(), body)
	if err != nil {
		return nil, fmt.Errorf("build the request to %s: %w", shownURL(q.url), bare(err))
	}
	request.Header.Set("User-Agent", f.agent)
	if q.form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return request, nil
	}
	if q.etag != "" {
		request.Header.Set("If-None-Match", q.etag)
	}
	if q.modified != "" {
		request.Header.Set("If-Modified-Since", q.modified)
	}
	return request, nil
}

// redirect limits where a site may redirect to. Each redirect is a request and waits for
// its host's pace.
func (f *fetcher) redirect(next *http.Request, via []*http.Request, q question) error {
	from := via[len(via)-1].URL
	host := strings.ToLower(next.URL.Host)
	switch {
	case len(via) > maxRedirects:
		return troubled("the site redirects more than %d times", maxRedirects)
	case next.URL.Scheme != "https" && (next.URL.Scheme != "http" || from.Scheme == "https"):
		return troubled("the site redirects from https to an address without https")
	case host != strings.ToLower(q.url.Host) && !slices.Contains(q.redirects, host):
		return troubled("the site redirects to %s, which is not listed in redirect_hosts: check where the documents "+
			"are now", shownURL(next.URL))
	}
	next.Header.Del("Referer") // it would reveal the query to another host
	return f.pace.ask(next.Context(), next.URL.Host, q.interval)
}

func (f *fetcher) read(ctx context.Context, q question, response *http.Response, path string) (answer, error) {
	a := answer{etag: validator(response, "ETag"), modified: validator(response, "Last-Modified")}
	conditional := q.form == nil && (q.etag != "" || q.modified != "")
	switch status := response.StatusCode; {
	case status == http.StatusNotModified && conditional:
		a.same = true
		return a, nil
	case status == http.StatusNotFound, status == http.StatusGone:
		a.missing = true
		return a, nil
	case status != http.StatusOK:
		return a, &trouble{reason: fmt.Sprintf("the site answered with status %d", status),
			after: f.retryAfter(response)}
	case response.Header.Get("Content-Encoding") != "": // the transport decodes the encodings that it asked for
		return a, troubled("the site sent a content encoding that was not requested")
	case response.ContentLength > q.maxBytes:
		return a, troubled("the payload has %d bytes, but max_bytes is %d", response.ContentLength, q.maxBytes)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
	if err != nil {
		return a, fmt.Errorf("write the payload: %w", err)
	}
	body := &watched{from: io.LimitReader(response.Body, q.maxBytes+1)}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), body)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	switch {
	case body.err != nil:
		return a, f.blame(ctx, body.err, q)
	case err != nil:
		return a, fmt.Errorf("write the payload: %w", err)
	case size > q.maxBytes:
		return a, troubled("the payload has more bytes than max_bytes, which is %d", q.maxBytes)
	case response.ContentLength >= 0 && size != response.ContentLength:
		return a, troubled("the site announced %d bytes, but sent %d", response.ContentLength, size)
	}
	a.sha256 = hex.EncodeToString(sum.Sum(nil))
	return a, nil
}

// validator reads a header that the next request sends back.
func validator(response *http.Response, name string) string {
	if text := response.Header.Get(name); len(text) <= maxValidator {
		return text
	}
	return ""
}

// retryAfter is the pause that the site asks for, within a limit.
func (f *fetcher) retryAfter(response *http.Response) time.Duration {
	text := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if moment, err := http.ParseTime(text); err == nil {
		return min(max(moment.Sub(f.pace.clock.Now()), 0), maxRetryAfter)
	}
	return 0
}

// blame turns the error of a request into a trouble of the site, unless our own context
// ended it.
func (f *fetcher) blame(ctx context.Context, err error, q question) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *trouble
	var timeout net.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return troubled("no complete answer within %s", q.timeout)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return troubled("the transfer ended before the payload was complete")
	}
	return troubled("the request failed: %s", hide(bare(err).Error(), q))
}

// bare returns the error without the address that net/http puts before it.
func bare(err error) error {
	if wrapped, is := errors.AsType[*url.Error](err); is {
		return wrapped.Err
	}
	return err
}

// hide removes from a text the secrets that an address may contain.
func hide(text string, q question) string {
	secrets := []string{q.url.RawQuery}
	for _, values := range q.url.Query() {
		secrets = append(secrets, values...)
	}
	if password, set := q.url.User.Password(); set {
		secrets = append(secrets, password)
	}
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
			text = strings.ReplaceAll(text, url.QueryEscape(secret), "…")
		}
	}
	return text
}

// shownURL is the form of an address for logs: without user, password and values of the
// query.
func shownURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if u.RawQuery != "" {
		return shown.String() + "?…"
	}
	return shown.String()
}

// watched is a reader that remembers its own error, so that it can be told from an error
// of the writer.
type watched struct {
	from io.Reader
	err  error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
