package marketpages_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"reflect"
	"sync"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/site/marketpages"
	"cuota/internal/testkit/longtest"
	"cuota/query"
)

// watching is a batch that keeps what pages are given, with its JSON.
type watching struct {
	marketpages.Batch
	given *givenValues
}

type givenValues struct {
	mu   sync.Mutex
	list []givenValue
}

type givenValue struct {
	path  string
	value any
	json  []byte
}

func (b watching) Ask(ctx context.Context, path string, texts url.Values) (any, error) {
	found, err := b.Batch.Ask(ctx, path, texts)
	if err != nil {
		return nil, err
	}
	encoded, err := encodedValue(found)
	if err != nil {
		return nil, err
	}
	b.given.mu.Lock()
	defer b.given.mu.Unlock()
	b.given.list = append(b.given.list, givenValue{path, found, encoded})
	return found, nil
}

// encodedValue returns what an operation finds as JSON, even if its JSON is kept.
func encodedValue(found any) ([]byte, error) {
	if value := reflect.ValueOf(found); value.Kind() == reflect.Struct && value.FieldByName("Found").IsValid() {
		return httpapi.Encode(value.FieldByName("Found").Interface()) // of operation.Kept
	}
	reply, err := httpapi.ReplyOf(found)
	if err != nil || reply.Write == nil {
		return reply.Body, err
	}
	var body bytes.Buffer
	err = reply.Write(&body)
	return body.Bytes(), err
}

// Values are shared between requests, so a page that changed one would change other pages, and the API.
func TestPagesChangeNoValueThatTheyAreGiven(t *testing.T) {
	longtest.InTurns(t)
	given := &givenValues{}
	s := syntheticAs(t, func(s *query.Server) marketpages.Market {
		market := published(s)
		return func() (marketpages.Batch, bool) {
			b, is := market()
			return watching{b, given}, is
		}
	})
	for _, of := range s.visits() {
		if status, _, _ := s.get(of.path); status >= http.StatusInternalServerError {
			t.Errorf("%s: status %d", of.path, status)
		}
	}
	paths := map[string]bool{}
	for _, one := range given.list {
		paths[one.path] = true
		after, err := encodedValue(one.value)
		if err != nil || !bytes.Equal(one.json, after) {
			t.Errorf("a page has changed what %s found (%v): it was\n%.500s\nand is\n%.500s", one.path, err, one.json,
				after)
		}
	}
	if len(given.list) < 100 || len(paths) < 25 {
		t.Errorf("%d values of %d operations were given: nothing was walked", len(given.list), len(paths))
	}
}
