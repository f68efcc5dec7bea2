package explorer_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"cuota/internal/explorer"
	"cuota/internal/testkit/isolatedtest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
)

// renaming is a batch in which the names that come from files have marks of direction and Hebrew letters.
type renaming struct{ explorer.Batch }

type renamingMarket struct{ explorer.Market }

func (m renamingMarket) Batch() (explorer.Batch, bool) {
	b, is := m.Market.Batch()
	return renaming{b}, is
}

const turned = "\u202e\u05e9\u05dc\u05d5\u05dd\u2067"

// fromFiles are the members of replies that hold names from files.
var fromFiles = []string{
	"agf", "fundName", "fundFamily", "fundFamilyDisplay", "fundFamilyStudies", "family", "family_rar", "name", "fund", "fund_name", "manager", "administrator",
	"issuer", "instrument", "file", "country", "index_name", "familyRar", "message", "note",
}

func (b renaming) Ask(ctx context.Context, path string, texts url.Values) ([]byte, error) {
	asked := url.Values{}
	for key, values := range texts {
		for _, value := range values {
			asked.Add(key, strings.ReplaceAll(value, turned, ""))
		}
	}
	body, err := b.Batch.Ask(ctx, path, asked)
	if err != nil {
		return nil, err
	}
	var reply any
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, err
	}
	return json.Marshal(renamed(reply, ""))
}

func renamed(value any, member string) any {
	switch value := value.(type) {
	case map[string]any:
		for key, of := range value {
			value[key] = renamed(of, key)
		}
	case []any:
		for i, of := range value {
			value[i] = renamed(of, member)
		}
	case string:
		if slices.Contains(fromFiles, member) && value != "" {
			return turned + value
		}
	}
	return value
}

func TestNamesFromRightToLeftStandAloneOnEveryPage(t *testing.T) {
	longtest.InTurns(t)
	s := syntheticAs(t, func(s *query.Server) explorer.Market { return renamingMarket{published(s)} })
	pages, named := 0, 0
	for _, of := range s.visits() {
		status, header, page := s.get(of.path)
		if !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			continue
		}
		if status >= http.StatusInternalServerError {
			t.Errorf("%s: status %d", of.path, status)
		}
		alone, turning := isolatedtest.Find(t, page)
		if len(turning) > 0 {
			t.Errorf("%s: %d names turn the texts around them: %q", of.path, len(turning), turning[:min(3, len(turning))])
		}
		if pages++; alone > 0 {
			named++
		}
	}
	if pages < 20 || named < 14 {
		t.Errorf("%d pages, of which %d have names: nothing was walked", pages, named)
	}
}
