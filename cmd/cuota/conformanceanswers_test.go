package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pathOf is where each kind of question is asked.
var pathOf = map[string]string{
	"page": "/api/screener", "list": "/api/screener", "search": "/api/series", "compare": "/api/compare",
	"screens": "/api/screens", "between": "/api/returns", "market": "/api/market-summary", "get": "/api/",
	"backtest": "/api/backtests", "days": "/api/days", "csv": "/api/days", "table": "/api/bulk/",
	"file": "/api/bulk/", "changes": "/api/changes",
}

// answerOf asks the service for what a case asks, without a client, and returns it in the form of the runners. It is
// empty where the service refuses.
func (p *faultProxy) answerOf(ask conformanceAsk) any {
	switch ask.What {
	case "page":
		query := p.query(ask.Filters)
		if ask.BatchID != "" {
			query.Set("batch_id", ask.BatchID)
		}
		return rowsOf(p.ask("/api/screener?"+query.Encode()), "fundName", "tac")
	case "list":
		return p.pages("/api/screener?limit=100&"+p.query(ask.Filters).Encode(), "fundName")
	case "search":
		return rowsOf(p.ask("/api/series?limit=1000&q="+url.QueryEscape(ask.Q)), "fund_name")
	case "compare": // one by one, so that their order is that of the question
		rows := []any{}
		for _, id := range ask.Series {
			query := url.Values{"series": {id}}
			if ask.AsOfDate != "" {
				query.Set("as_of_date", ask.AsOfDate)
			}
			rows = append(rows, rowsOf(p.ask("/api/compare?"+query.Encode()), "fundName", "tac", "price")...)
		}
		return rows
	case "screens":
		var screens []json.RawMessage
		p.read(ask.Screens, &screens)
		lists := []any{}
		for _, screen := range screens {
			lists = append(lists, any(rowsOf(p.ask("/api/screener?"+p.query(screen).Encode()), "fundName")))
		}
		return lists
	case "between":
		path := "/api/returns?from=" + ask.From + "&to=" + ask.To
		if ask.Series == nil {
			return p.pages(path+"&limit=700", "value", "reason")
		}
		return rowsOf(p.ask(path+"&series="+strings.Join(ask.Series, ",")), "value", "reason")
	case "market":
		var names []string
		for _, family := range in[[]any](p.ask("/api/market-summary?date="+ask.Date), "families") {
			names = append(names, family.(map[string]any)["family"].(string))
		}
		slices.Sort(names)
		return asAny(names)
	case "backtest":
		curve := in[[]any](p.send(http.MethodPost, "/api/backtests", ask.Strategy), "curve")
		if len(curve) == 0 {
			return nil
		}
		last := curve[len(curve)-1].(map[string]any)
		return []any{last["date"], last["value"]}
	case "get":
		return p.answerOfPath(ask.Path, p.query(ask.Params))
	case "days", "csv":
		return p.days(ask)
	case "table":
		columns := []any{}
		table := p.table(ask.Name)
		for _, column := range in[[]any](table, "columns") {
			columns = append(columns, column.(map[string]any)["name"])
		}
		return map[string]any{"rows": p.fileOf(table)["rows"], "columns": columns}
	case "file":
		file := p.fileOf(p.table(ask.Table))
		content := p.raw(http.MethodGet, file["address"].(string), nil)
		sum := sha256.Sum256(content)
		return map[string]any{"bytes": float64(len(content)), "sha256": hex.EncodeToString(sum[:])}
	case "changes":
		rows := []any{}
		for line := range bytes.Lines(p.raw(http.MethodGet, "/api/changes?since="+ask.Since, nil)) {
			var row map[string]any
			p.read(line, &row)
			if row["key"] != nil {
				rows = append(rows, []any{row["table"], row["key"]})
			}
		}
		return rows
	}
	p.t.Errorf("no case can ask for %q", ask.What)
	return nil
}

// days returns the quotas of a fund. In the table the order is by series and day; in JSON it is by day.
func (p *faultProxy) days(ask conformanceAsk) any {
	path := "/api/days?run=" + ask.Run + "&from_date=" + ask.From + "&to_date=" + ask.To
	rows := []any{}
	for _, item := range in[[]any](p.ask(path+"&limit=5000"), "data") {
		of := item.(map[string]any)["attributes"].(map[string]any)
		rows = append(rows, []any{of["asset_id"], of["date"], of["price"]})
	}
	return rows
}

// table returns what the list of files says of a table.
func (p *faultProxy) table(name string) map[string]any {
	for _, table := range in[[]any](p.ask("/api/bulk"), "data") {
		if table := table.(map[string]any); table["table"] == name {
			return table
		}
	}
	p.t.Errorf("there is no table %s", name)
	return nil
}

// fileOf returns the only file of a table.
func (p *faultProxy) fileOf(table map[string]any) map[string]any {
	files := in[[]any](table, "files")
	if len(files) != 1 {
		p.t.Errorf("%v has %d files, and should have one", table["table"], len(files))
		return map[string]any{"address": ""}
	}
	return files[0].(map[string]any)
}

// pages returns the rows of all pages, by their offsets in one batch.
func (p *faultProxy) pages(path string, names ...string) any {
	rows := []any{}
	for batch := ""; ; {
		page := p.ask(fmt.Sprintf("%s&offset=%d&batch_id=%s", path, len(rows), batch))
		more := rowsOf(page, names...)
		rows = append(rows, more...)
		if len(more) == 0 {
			return rows
		}
		batch = in[string](in[map[string]any](page, "meta"), "batch_id")
	}
}

// rowsOf returns the id and chosen attributes of each item of a reply.
func rowsOf(reply map[string]any, names ...string) []any {
	rows := []any{}
	for _, item := range in[[]any](reply, "data") {
		item := item.(map[string]any)
		row := []any{item["id"]}
		for _, name := range names {
			row = append(row, item["attributes"].(map[string]any)[name])
		}
		rows = append(rows, row)
	}
	return rows
}

// in returns a member of an object; the zero value if it is not there.
func in[T any](of map[string]any, name string) T {
	value, _ := of[name].(T)
	return value
}

func asAny(texts []string) any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// query writes filters of the screener as a query.
func (p *faultProxy) query(filters json.RawMessage) url.Values {
	var given map[string]any
	p.read(filters, &given)
	query := url.Values{}
	for name, value := range given {
		switch value := value.(type) {
		case []any:
			for _, one := range value {
				query.Add(name, fmt.Sprint(one))
			}
		case float64: // an id
			query.Set(name, strconv.FormatFloat(value, 'f', -1, 64))
		default:
			query.Set(name, fmt.Sprint(value))
		}
	}
	return query
}

// answerOfPath asks a path, of which names in braces are parameters too.
func (p *faultProxy) answerOfPath(path string, query url.Values) any {
	for name := range query {
		if in := "{" + name + "}"; strings.Contains(path, in) {
			path = strings.ReplaceAll(path, in, url.PathEscape(query.Get(name)))
			query.Del(name)
		}
	}
	reply := p.ask(path + "?" + query.Encode())
	if reply["detail"] != nil {
		p.t.Errorf("the service refuses %s?%s: %v", path, query.Encode(), reply["detail"])
	}
	return reply
}

func (p *faultProxy) read(text []byte, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		p.t.Errorf("%v: %.200s", err, text)
	}
}

func (p *faultProxy) ask(target string) map[string]any { return p.send(http.MethodGet, target, nil) }

// send asks the service for JSON.
func (p *faultProxy) send(method, target string, body []byte) (said map[string]any) {
	p.read(p.raw(method, target, body), &said)
	return said
}

// raw asks the service.
func (p *faultProxy) raw(method, target string, body []byte) []byte {
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.api+target, bytes.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return nil
	}
	request.Header.Set("X-Api-Key", p.key)
	request.Header.Set("X-Forwarded-For", p.caller())
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Error(err)
		return nil
	}
	defer func() { _ = response.Body.Close() }() // it was read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Error(err)
	}
	return text
}

// firstSeries returns the ids of the first series of the screener. Some have no cost, and some have Spanish names.
func firstSeries(t *testing.T, api, key string, number int) (ids []string) {
	t.Helper()
	p := &faultProxy{t: t, api: api, key: key}
	for _, row := range rowsOf(p.ask(fmt.Sprintf("/api/screener?limit=%d", number))) {
		ids = append(ids, row.([]any)[0].(string))
	}
	if len(ids) != number {
		t.Fatalf("the screener has %d series", len(ids))
	}
	return ids
}
