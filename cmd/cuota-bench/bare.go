package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"
)

// bareHandler is how a line of the table names the server of serveBare.
const bareHandler = "a bare httprouter handler that writes the same bytes"

// recorded is an answer that a server gave once.
type recorded struct {
	header http.Header
	body   []byte
	source string // how it was made, as Server-Timing states
}

// record requests every path once from the server at an address.
func (s *served) record(ctx context.Context, address string, paths []string) (map[string]recorded, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	answers := make(map[string]recorded, len(paths))
	for _, path := range paths {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("X-Api-Key", s.key)
		response, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return nil, fmt.Errorf("read an answer: %w", err)
		}
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s is answered with %s: %.300s", path, response.Status, body)
		}
		response.Header.Del("Date") // net/http sets it
		source, _, _ := strings.Cut(response.Header.Get("Server-Timing"), ";")
		answers[path] = recorded{response.Header, body, source}
	}
	return answers, nil
}

// fromMemory records the answers of the product's server. It fails if the server asked
// the engine for any of them.
func (s *served) fromMemory(ctx context.Context, paths []string) (map[string]recorded, error) {
	if _, err := s.record(ctx, s.api, paths); err != nil { // fills its cache
		return nil, err
	}
	answers, err := s.record(ctx, s.api, paths)
	for path, answer := range answers {
		if answer.source != "snapshot" && answer.source != "cache" {
			return nil, fmt.Errorf("%s is answered from %s", path, answer.source)
		}
	}
	return answers, err
}

// same fails unless the server at an address answers from its database with exactly the
// recorded bytes.
func (s *served) same(ctx context.Context, address string, paths []string, want map[string]recorded) error {
	got, err := s.record(ctx, address, paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if got[path].source == "snapshot" {
			return fmt.Errorf("%s is answered from memory where the database was to be asked", path)
		}
		if a, b := got[path].body, want[path].body; !bytes.Equal(a, b) {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			return fmt.Errorf("%s: answered with …%.80s, and from memory with …%.80s", path, a[max(0, at-20):], b[max(0, at-20):])
		}
	}
	return nil
}

// serveBare starts a server that looks up each recorded answer by its path and query,
// and returns its address. pattern is the route of all of them.
func (b *bench) serveBare(ctx context.Context, pattern string, answers map[string]recorded) (address string, err error) {
	router := httprouter.New()
	router.GET(pattern, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		answer := answers[r.RequestURI]
		header := w.Header()
		for name, values := range answer.header {
			header[name] = values
		}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(answer.body) // a client that disconnects does not matter
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen for the bare handler: %w", err)
	}
	server := &http.Server{Handler: router, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	b.onClose(func(ctx context.Context) error {
		err := server.Shutdown(ctx)
		if how := <-ended; !errors.Is(how, http.ErrServerClosed) {
			err = errors.Join(err, how)
		}
		return err
	})
	return listener.Addr().String(), nil
}
