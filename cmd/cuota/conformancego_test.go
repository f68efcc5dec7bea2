package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"cuota/client"
)

// goRunner runs the cases with the client in Go, and prints a line for each, as the runners of the other clients do.
func goRunner(t *testing.T, all *conformanceCases, address, key string) string {
	var lines strings.Builder
	for _, c := range all.Cases {
		if c.Not["go"] != "" {
			continue
		}
		line := map[string]any{"case": c.Name}
		asks, err := client.New(address+"/"+c.Name, client.WithKey(cmp.Or(c.Ask.Key, key)))
		if err != nil {
			t.Fatal(err)
		}
		if gives, err := goGives(t, asks, c.Ask); err != nil {
			line["error"] = comparedError(err)
		} else {
			line["gives"] = gives
		}
		if err := json.NewEncoder(&lines).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	return lines.String()
}

func goGives(t *testing.T, c *client.Client, ask conformanceAsk) (any, error) {
	ctx := t.Context()
	screen := client.Screen{Fields: []string{"fundName", "tac", "price"}, BatchID: ask.BatchID}
	if ask.Filters != nil {
		if err := json.Unmarshal(ask.Filters, &screen); err != nil {
			t.Fatal(err)
		}
	}
	rows := [][]any{}
	switch ask.What {
	case "page":
		page, err := c.Screener(ctx, screen)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Series {
			rows = append(rows, []any{s.ID, s.FundName, s.TAC})
		}
	case "list":
		screen.Limit = 200
		for page, err := range c.Pages(ctx, screen) {
			if err != nil {
				return nil, err
			}
			for _, s := range page.Series {
				rows = append(rows, []any{s.ID, s.FundName})
			}
		}
	case "search":
		found, err := c.Search(ctx, ask.Q, 1000, 0, "")
		if err != nil {
			return nil, err
		}
		for _, s := range found.Series {
			rows = append(rows, []any{s.ID, s.FundName})
		}
	case "compare":
		page, err := c.Compare(ctx, ask.Series, client.CompareOptions{AsOfDate: ask.AsOfDate, Fields: screen.Fields})
		if err != nil {
			return nil, err
		}
		for _, s := range page.Series {
			rows = append(rows, []any{s.ID, s.FundName, s.TAC, s.Price})
		}
	case "screens":
		var screens []client.Screen
		if err := json.Unmarshal(ask.Screens, &screens); err != nil {
			t.Fatal(err)
		}
		pages, err := c.Screens(ctx, "", screens)
		lists := [][][]any{}
		for _, page := range pages {
			list := [][]any{}
			for _, s := range page.Series {
				list = append(list, []any{s.ID, s.FundName})
			}
			lists = append(lists, list)
		}
		return lists, err
	case "between":
		periods, _, err := c.ReturnsBetween(ctx, ask.Series, ask.From, ask.To, "")
		if err != nil {
			return nil, err
		}
		for _, p := range periods {
			rows = append(rows, []any{p.ID, p.Value, p.Reason})
		}
	case "market":
		summary, err := c.MarketSummary(ctx, ask.Date)
		if err != nil {
			return nil, err
		}
		names := []string{}
		for _, family := range summary.Families {
			names = append(names, family.Name)
		}
		slices.Sort(names)
		return names, nil
	case "backtest":
		reply, err := c.Backtest(ctx, ask.Strategy, "")
		if err != nil {
			return nil, err
		}
		var result struct {
			Curve []struct {
				Date  string  `json:"date"`
				Value float64 `json:"value"`
			} `json:"curve"`
		}
		if err := json.Unmarshal(reply, &result); err != nil || len(result.Curve) == 0 {
			return nil, errors.Join(err, errors.New("the result has no curve"))
		}
		last := result.Curve[len(result.Curve)-1]
		return []any{last.Date, last.Value}, nil
	default:
		t.Fatalf("the runner in Go can't ask for %q: do it, or say in the case why it does not apply", ask.What)
	}
	return rows, nil
}

// comparedError returns the parts of an error that the cases compare.
func comparedError(err error) map[string]any {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return map[string]any{"kind": "other", "text": err.Error()}
	}
	fields := []string{}
	for _, violation := range refused.Violations {
		fields = append(fields, violation.Field())
	}
	slices.Sort(fields)
	return map[string]any{"status": refused.Status, "code": refused.Code, "request_id": refused.RequestID,
		"retry_after": refused.RetryAfter.Seconds(), "current_batch": refused.CurrentBatch, "fields": fields,
		"text": err.Error()}
}
