// Package client asks the HTTP API of cuota, for commands and for programs in Go. It imports nothing of this program,
// and everything that it knows of the API is in its document, /openapi.json.
//
// client.go sends a request, and again if the API says so. error.go has the errors, calls.go a method for each
// operation, screen.go the screener with its pages, and replies.go the fields that are read of replies.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Defaults of a Client.
const (
	defaultAttempts = 3
	defaultPatience = 10 * time.Second
	defaultTimeout  = 90 * time.Second
	defaultBytes    = 32 << 20
)

const (
	batchHeader = "X-Batch-Id"  // names the batch of a reply
	retryHeader = "Retry-After" // says when to send a request again
)

// Client asks one service. It may be used by many goroutines at once.
type Client struct {
	base     *url.URL
	http     *http.Client
	sign     func(http.Header) // sets the key. A function, so that no printed Client shows the key
	agent    string
	attempts int
	patience time.Duration
	bytes    int64
}

// Option changes how a Client asks.
type Option func(*Client)

// WithKey sends an API key with every request.
func WithKey(key string) Option {
	return func(c *Client) {
		c.sign = func(header http.Header) { header.Set("X-Api-Key", key) }
	}
}

// WithHTTPClient sends requests through a copy of an HTTP client. The copy follows no redirects.
func WithHTTPClient(using *http.Client) Option {
	return func(c *Client) {
		copied := *using
		c.http = &copied
	}
}

// WithUserAgent names the program that asks.
func WithUserAgent(name string) Option { return func(c *Client) { c.agent = name } }

// WithAttempts bounds how often a request is sent when it is answered with 429 or 503, by default 3 times, and how long
// to wait before the next time, by default 10 seconds. If Retry-After asks for more, or is missing because waiting does
// not help, the error is returned at once.
func WithAttempts(most int, patience time.Duration) Option {
	return func(c *Client) { c.attempts, c.patience = max(1, most), patience }
}

// WithMaxBytes bounds the body of a reply, by default to 32 MiB.
func WithMaxBytes(most int64) Option { return func(c *Client) { c.bytes = most } }

// New makes a client of the service at an address such as http://127.0.0.1:8080. It opens nothing.
func New(baseURL string, options ...Option) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(baseURL, "/"))
	switch {
	case err != nil: // its text would repeat the address, which may hold a password
		return nil, errors.New("the address of the API is not a URL: write it like http://127.0.0.1:8080")
	case base.User != nil:
		return nil, errors.New("the address of the API has a user or password: leave it out, and give the API key")
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery+base.Fragment != "":
		return nil, fmt.Errorf("%q is not the address of an API: write it like http://127.0.0.1:8080", baseURL)
	}
	c := &Client{
		base:     base,
		http:     &http.Client{Timeout: defaultTimeout},
		sign:     func(http.Header) {},
		agent:    "cuota-client",
		attempts: defaultAttempts,
		patience: defaultPatience,
		bytes:    defaultBytes,
	}
	for _, option := range options {
		option(c)
	}
	// The API never redirects, and a redirect to another host would be sent the key.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// String returns the address of the service.
func (c *Client) String() string { return c.base.String() }

// CloseIdleConnections closes connections that no request uses.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// get asks for a path, of which every segment is escaped, and reads the JSON of the reply into a value.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) (http.Header, error) {
	return c.call(ctx, http.MethodGet, path, query, nil, into)
}

// post sends a value as JSON.
func (c *Client) post(ctx context.Context, path string, query url.Values, body, into any) (http.Header, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("POST %s: encode the request: %w", path, err)
	}
	return c.call(ctx, http.MethodPost, path, query, text, into)
}

func (c *Client) call(ctx context.Context, method, path string, query url.Values, body []byte,
	into any) (http.Header, error) {
	for attempt := 1; ; attempt++ {
		header, text, err := c.once(ctx, method, path, query, body)
		var refused *Error
		if err == nil {
			if err = json.Unmarshal(text, into); err != nil {
				err = fmt.Errorf("%s %s: the reply is not the JSON that is expected: %w", method, path, err)
			}
			return header, err
		}
		if !errors.As(err, &refused) || !refused.Temporary() || !saysWhen(header) || attempt == c.attempts ||
			refused.RetryAfter > c.patience {
			return header, err
		}
		timer := time.NewTimer(cmp.Or(refused.RetryAfter, time.Second))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return header, errors.Join(ctx.Err(), err)
		}
	}
}

// once sends a request once. Any status but 200 is an *Error.
func (c *Client) once(ctx context.Context, method, path string, query url.Values, body []byte) (http.Header, []byte,
	error) {
	target := c.base.String() + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.agent)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	c.sign(request.Header)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("%s %s: %w", method, path, withoutURL(err))
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, c.bytes+1))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return response.Header, nil, fmt.Errorf("%s %s: read the reply: %w", method, path, err)
	}
	if int64(len(text)) > c.bytes {
		return response.Header, nil, fmt.Errorf("%s %s: the reply is longer than %d bytes: ask for fewer rows or fields",
			method, path, c.bytes)
	}
	if response.StatusCode != http.StatusOK {
		return response.Header, nil, newError(method, path, response, text)
	}
	return response.Header, text, nil
}

// withoutURL returns the cause of an error of net/http, which repeats the whole address.
func withoutURL(err error) error {
	if wrapped, is := errors.AsType[*url.Error](err); is {
		return wrapped.Err
	}
	return err
}

// saysWhen reports whether a reply says when to send its request again.
func saysWhen(header http.Header) bool { return header.Get(retryHeader) != "" }

// retryAfter reads the header Retry-After; 0 if there is none that can be read.
func retryAfter(header http.Header) time.Duration {
	text := header.Get(retryHeader)
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
