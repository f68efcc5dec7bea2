package baseline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// recorded is an answer that a server gave once.
type recorded struct {
	header http.Header
	body   []byte
	source string // how it was made, as Server-Timing states
}

// Answers are recorded answers by path and query.
type Answers map[string]recorded

// Record requests every path once, with an API key, from the server at an address, given
// as host and port. It fails if one is not answered with 200.
func Record(ctx context.Context, address, key string, paths []string) (Answers, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	answers := make(Answers, len(paths))
	for _, path := range paths {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("X-Api-Key", key)
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

// FromMemory fails if the product's server asked the engine for one of the answers.
func (a Answers) FromMemory() error {
	for path, answer := range a {
		if answer.source != "snapshot" && answer.source != "cache" {
			return fmt.Errorf("%s is answered from %s", path, answer.source)
		}
	}
	return nil
}

// SameFromDatabase fails unless the server made all answers from its database, with
// exactly the bytes of want.
func (a Answers) SameFromDatabase(want Answers) error {
	for path, answer := range a {
		if answer.source == "snapshot" {
			return fmt.Errorf("%s is answered from memory where the database was to be asked", path)
		}
		if a, b := answer.body, want[path].body; !bytes.Equal(a, b) {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			return fmt.Errorf("%s: answered with …%.80s, and from memory with …%.80s", path, a[max(0, at-20):],
				b[max(0, at-20):])
		}
	}
	return nil
}
