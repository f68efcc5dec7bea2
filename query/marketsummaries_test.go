package query_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// summariesReply is a reply of /api/market-summaries.
type summariesReply struct {
	Data []json.RawMessage `json:"data"`
	Meta struct {
		From  string  `json:"from_date"`
		To    string  `json:"to_date"`
		AsOf  *string `json:"as_of_date"`
		Count int     `json:"count"`
	} `json:"meta"`
}

// days returns the dates of the summaries.
func (of summariesReply) days(t testing.TB) (days []string) {
	t.Helper()
	for _, text := range of.Data {
		var entry struct {
			Meta struct {
				Date string `json:"date"`
			} `json:"meta"`
		}
		must(t, json.Unmarshal(text, &entry))
		days = append(days, entry.Meta.Date)
	}
	return days
}

// summaryOn returns the summary of a date, and whether the date answers for itself.
func summaryOn(t testing.TB, r *rig, date model.Date) (body map[string]any, itself bool) {
	t.Helper()
	got := r.get(t, "/api/market-summary?date="+date.String())
	wantStatus(t, got, http.StatusOK)
	must(t, json.Unmarshal(got.body, &body))
	return body, pick(body, "meta.date") == date.String()
}

func TestTheSummariesOfAPeriodAreThoseOfEachOfItsDays(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, statements := fromMemoryAndSQL(t, publishedInvention(t))
	entries := 0
	for from, length := range map[string]int{"2025-07-01": 31, "2025-03-20": 12, "2024-02-20": 15, "2025-07-20": 1,
		"2025-07-21": 5, "2010-01-01": 31} {
		first, err := model.ParseDate(from)
		must(t, err)
		last := first.AddDays(length - 1)
		target := fmt.Sprintf("/api/market-summaries?from_date=%s&to_date=%s", first, last)
		before := statements.Load()
		got := decode[summariesReply](t, memory.get(t, target))
		if ran := statements.Load() - before; ran > 5 {
			t.Errorf("%s ran %d statements", target, ran)
		}
		if diff := cmp.Diff(got, decode[summariesReply](t, plain.get(t, target))); diff != "" {
			t.Errorf("%s (-from memory +from SQL):\n%s", target, diff)
		}
		at := 0
		for date := first; date.Compare(last) <= 0; date = date.AddDays(1) {
			want, itself := summaryOn(t, memory, date)
			if !itself {
				continue
			}
			if at == len(got.Data) {
				t.Fatalf("%s lacks %s", target, date)
			}
			var entry map[string]any
			must(t, json.Unmarshal(got.Data[at], &entry))
			if diff := cmp.Diff(want, entry); diff != "" {
				t.Errorf("%s, %s (-of the day +of the period):\n%s", target, date, diff)
			}
			at++
		}
		if at != len(got.Data) || got.Meta.Count != at || got.Meta.From != first.String() ||
			got.Meta.To != last.String() {
			t.Errorf("%s: %v, meta %+v, want %d days", target, got.days(t), got.Meta, at)
		}
		entries += at
	}
	if entries < 30 {
		t.Errorf("only %d summaries were compared", entries)
	}
}

func TestTheSummariesOfAPeriodAsATableHaveTheFamiliesOfEachDay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	const target = "/api/market-summaries?from_date=2025-06-25&to_date=2025-07-01"
	days := decode[summariesReply](t, r.get(t, target)).days(t)
	if len(days) < 2 {
		t.Fatalf("only the days %v", days)
	}
	var want tableRows
	for _, day := range days {
		want = append(want, readTable(t, "ndjson", r.get(t, "/api/market-summary?format=ndjson&date="+day).body,
			nil)...)
	}
	for _, format := range readFormats {
		got := r.get(t, target+"&format="+format)
		wantStatus(t, got, http.StatusOK)
		rows := readTable(t, format, got.body, want)
		if len(rows) != len(want) {
			t.Fatalf("%s has %d rows, want %d", format, len(rows), len(want))
		}
		for i, row := range rows {
			for name, value := range row {
				if !same(value, want[i][name]) {
					t.Fatalf("%s, row %d: %s is %v, want %v", format, i, name, value, want[i][name])
				}
			}
		}
	}
}

func TestAPeriodOfSummariesIsBounded(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	wantViolations(t, r, []violationCase{
		{"/api/market-summaries?from_date=2026-07-01&to_date=2026-07-31", nil},
		{"/api/market-summaries?from_date=0001-01-01&to_date=0001-01-02", nil},
		{"/api/market-summaries?from_date=9999-12-31&to_date=9999-12-31", nil},
		{"/api/market-summaries?from_date=2026-07-01&to_date=2026-08-01", []string{"query.to_date:value_error"}},
		{"/api/market-summaries?from_date=2026-07-02&to_date=2026-07-01", []string{"query.from_date:value_error"}},
		{"/api/market-summaries?from_date=2026-07-01", []string{"query.to_date:missing"}},
		{"/api/market-summaries?to_date=2026-07-01", []string{"query.from_date:missing"}},
		{"/api/market-summaries?from_date=2026-07-01&to_date=2026-07-31&date=2026-07-30",
			[]string{"query.date:unknown_date"}},
		{"/api/market-summary?from_date=2026-07-01", []string{"query.from_date:unknown_date"}},
		{"/api/families/x/index?from_date=2026-07-02&to_date=2026-07-01", []string{"query.from_date:value_error"}},
	})
	for target, says := range map[string]string{
		"/api/market-summaries?from_date=2026-01-01&to_date=2026-07-31": "at most 30 days after from_date: ask for " +
			"longer periods in parts",
		"/api/market-summary?from_date=2026-07-01": "For each day of a period, ask " +
			"/api/market-summaries",
	} {
		if got := r.get(t, target); !strings.Contains(string(got.body), says) {
			t.Errorf("%s: %s", target, got.body)
		}
	}
}

func TestAFamilyIndexEndsWithTheDayAskedFor(t *testing.T) {
	t.Parallel()
	memory, plain, _ := fromMemoryAndSQL(t, publishedInvention(t))
	type index struct {
		Data []map[string]any `json:"data"`
	}
	path := familyWithIndex(t, memory)
	whole := decode[index](t, memory.get(t, path)).Data
	if len(whole) < 10 {
		t.Fatalf("only %d points", len(whole))
	}
	for _, period := range [][2]string{
		{"", "2025-07-18"}, {"2025-07-01", "2025-07-10"}, {"2025-07-10", "2025-07-10"}, {"", "0001-01-01"},
		{"2025-07-15", "9999-12-31"}, {"2025-07-15", "2025-07-20"},
	} {
		var want []map[string]any
		for _, point := range whole {
			if date := point["date"].(string); date >= period[0] && date <= period[1] {
				want = append(want, point)
			}
		}
		target := path + "?to_date=" + period[1]
		if period[0] != "" {
			target += "&from_date=" + period[0]
		}
		for name, r := range map[string]*rig{"memory": memory, "SQL": plain} {
			got := decode[index](t, r.get(t, target)).Data
			if diff := cmp.Diff(want, append([]map[string]any(nil), got...)); diff != "" {
				t.Errorf("%s from %s (-want +got):\n%s", target, name, diff)
			}
		}
		table := plain.get(t, target+"&format=ndjson")
		wantStatus(t, table, http.StatusOK)
		if rows := readTable(t, "ndjson", table.body, nil); len(rows) != len(want) {
			t.Errorf("%s as a table has %d rows, want %d", target, len(rows), len(want))
		}
	}
}
