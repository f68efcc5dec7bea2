package query_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query"
	"cuota/sql"
)

func TestThePageOfASeriesNamesTheLinesOfItsFigures(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Schema(t)
	r := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	r.facts(t)
	r.publish(t, 1)
	must(t, r.Refresh(t.Context()))
	insert(t, r.conn, "tac_month",
		row{"batch": 1, "series_id": seriesOpen, "month": "2026-05-31", "kind": "synthetic", "source": "stated",
			"tac": 0.02},
		row{"batch": 1, "series_id": seriesOpen, "month": "2026-06-30", "kind": "synthetic", "source": "stated",
			"tac":     0.0123,
			"dataset": "tac-comparator", "source_sha256": sha('b'), "source_line": 7,
			"revision": "2026-07-01 00:00:00.000"},
		row{"batch": 1, "series_id": seriesOpen, "month": "2026-05-31", "kind": "real", "source": "stated",
			"tac":     0.019,
			"dataset": "tac-monthly", "source_sha256": sha('a'), "source_line": 4,
			"revision": "2026-07-01 00:00:00.000"},
		row{"batch": 1, "series_id": seriesOpen, "month": "2026-05-31", "kind": "real", "source": "computed",
			"tac": 0.018, "cost_days": 20})
	quoted := func(file, revision string, line int) row {
		return row{"run": 8011, "serie": "A", "date": "2026-07-31", "revision": revision, "source_sha256": file,
			"source_line": line, "quota": "121.000001"}
	}
	insert(t, r.conn, "fact_quota", quoted(sha('a'), "2026-08-01 10:00:00.000", 5),
		quoted(sha('b'), "2026-08-02 10:00:00.000", 9),
		quoted(sha('z'), "2026-08-03 10:00:00.000", 11)) // the batch does not have this file
	insert(t, r.conn, "complete_file",
		row{"dataset": "cartola", "sha256": sha('b'), "revision": "2026-08-02 10:00:00.000", "file": "b.txt"})
	insert(t, r.conn, "series_rename", row{"batch": 1, "run": 8011, "previous_serie": "OLD", "current_serie": "A",
		"first_current_date": "2026-01-15", "reason": "both_quoted"})
	insert(t, r.conn, "fact_exchange", row{"event_id": "e", "event_revision": 1, "origin_run": 8011,
		"origin_serie": "A", "destination_run": 8011, "destination_serie": "B",
		"effective_date": "2026-07-01", "valuation_date": "2026-06-30", "factor": "1.5",
		"revision": "2026-07-01 00:00:00.000", "source_sha256": sha('a'), "source_line": 2})
	insert(t, r.conn, "series_day", row{"series_id": seriesOpen, "date": "2026-03-31", "build": 1, "quota": "100",
		"currency": "PESOS", "distribution_factor": "1.02"})
	insert(t, r.conn, "series_day_version", row{"date": "2026-03-31", "build": 1})
	insert(t, r.conn, "fact_factor", row{"run": 8011, "serie": "A", "date": "2026-03-31",
		"revision": "2026-07-01 00:00:00.000", "source_sha256": sha('a'), "source_line": 3,
		"distribution_factor": "1.02", "adjustment_factor": "1", "quota": "100", "currency": "PESOS",
		"evidence_url": "https://example.org/paid"})
	insert(t, r.conn, "discontinuity", row{"batch": 1, "series_id": seriesOpen, "date": "2026-06-30", "kind": "gap"})
	uf := func(date, value string) row {
		return row{"batch": 1, "date": date,
			"uf": map[string]any{"date": date, "value": value, "sha256": sha('u'), "revision": nil},
			"fx": map[string]any{"date": nil, "value": nil, "sha256": nil, "revision": nil}}
	}
	insert(t, r.conn, "fx_uf_rate", uf("2025-12-31", "100"), uf("2026-06-30", "110"), uf("2026-07-31", "110"))

	ask := func(path string, reply any, texts ...string) error {
		given := url.Values{}
		for i := 0; i < len(texts); i += 2 {
			given.Set(texts[i], texts[i+1])
		}
		body, err := foundBy(t, r.PageBatch(), path, given)
		if err != nil {
			return err
		}
		return json.Unmarshal(body, reply)
	}

	type identity struct {
		ID, RUN, Serie string
		Currency       *string
		Alive          bool
		First          *string  `json:"first_date"`
		Last           *string  `json:"last_date"`
		Quota          *float64 `json:"quota"`
		TAC            *float64 `json:"tac"`
		TACKind        *string  `json:"tac_kind"`
	}
	for name, c := range map[string]struct {
		texts       []string
		last        string
		quota, rate float64
	}{
		"at the cutoff":  {[]string{"asset_id", "201"}, "2026-07-31", 121.000001, 0.0123},
		"at a past date": {[]string{"asset_id", "201", "as_of_date", "2026-06-15"}, "2026-03-31", 100, 0.02},
	} {
		var got identity
		must(t, ask("/pages/series/{asset_id}", &got, c.texts...))
		kind, first, currency := "synthetic", "2025-12-31", "PESOS"
		want := identity{"201", "8011-K", "A", &currency, true, &first, &c.last, &c.quota, &c.rate, &kind}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	var closed identity
	must(t, ask("/pages/series/{asset_id}", &closed, "asset_id", "202"))
	if closed.Alive || closed.Last == nil || *closed.Last != "2020-01-31" || closed.Currency != nil {
		t.Errorf("the closed series in euros is %+v", closed)
	}
	var young identity
	must(t, ask("/pages/series/{asset_id}", &young, "asset_id", "203"))
	if young.Last != nil || young.Quota != nil || young.Serie != "Z" {
		t.Errorf("the series that is first quoted after the cutoff is %+v", young)
	}
	var unknown *httpapi.Problem
	if err := ask("/pages/series/{asset_id}", &closed, "asset_id", "77"); !errors.As(err, &unknown) ||
		unknown.Status != http.StatusNotFound {
		t.Errorf("an unknown id: %v", err)
	}

	type event struct {
		Kind, Date string
		OtherID    *uint32 `json:"other_id"`
		Factor     *float64
		Payment    *float64
		Applied    bool
		Reason     string
		Evidence   string `json:"evidence_url"`
	}
	var events struct {
		Data []event
		More bool
	}
	must(t, ask("/pages/series/{asset_id}/events", &events, "asset_id", "201"))
	none, other, half, paid, payment := uint32(0), uint32(seriesClosed), 1.5, 1.02, 2.0
	want := []event{
		{"exchange_out", "2026-07-01", &other, &half, nil, true, "", ""},
		{"gap", "2026-06-30", &none, nil, nil, true, "", ""},
		{"distribution", "2026-03-31", &none, &paid, &payment, true, "", ""},
		{"verified", "2026-03-31", &none, &paid, &payment, true, "", "https://example.org/paid"},
		{"rename", "2026-01-15", &none, nil, nil, false, "both_quoted", ""},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, events.Data, near); diff != "" || events.More {
		t.Error(diff)
	}
	must(t, ask("/pages/series/{asset_id}/events", &events, "asset_id", "202"))
	if len(events.Data) != 1 || events.Data[0].Kind != "exchange_in" || *events.Data[0].OtherID != seriesOpen {
		t.Errorf("the events of the destination are %+v", events.Data)
	}

	type line struct {
		Item, Date, SHA256 string
		Line               int
		File               *string
		Seen               *string `json:"seen_at"`
		Official           []*float64
	}
	var sources struct{ Data []line }
	must(t, ask("/pages/series/{asset_id}/sources", &sources, "asset_id", "201", "last_date", "2026-07-31", "tac_kind",
		"synthetic", "tac_date", "2026-06-30"))
	if len(sources.Data) != 3 {
		t.Fatalf("%+v", sources.Data)
	}
	for i, want := range []line{{Item: "quota", Date: "2026-07-31", Line: 9},
		{Item: "rating", Date: "2026-06-30", Line: 2}, {Item: "tac", Date: "2026-06-30", Line: 7}} {
		got := sources.Data[i]
		if got.Item != want.Item || got.Date != want.Date || got.Line != want.Line || got.SHA256 != sha('b') ||
			got.File == nil || *got.File != "b.txt" || got.Seen == nil {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if len(sources.Data[1].Official) != 6 || sources.Data[1].Official[0] != nil {
		t.Errorf("the comparator states %v", sources.Data[1].Official)
	}

	for kind, want := range map[string]string{"stated": "tac tac-monthly 4", "computed": "", "synthetic": ""} {
		var of struct {
			Data []struct {
				Item, Dataset string
				Line          int
			}
		}
		must(t, ask("/pages/series/{asset_id}/sources", &of, "asset_id", "201", "tac_kind", kind, "tac_date",
			"2026-05-31", "as_of_date", "2026-05-31"))
		got := ""
		for _, line := range of.Data {
			if line.Item == "tac" {
				got += fmt.Sprintf("%s %s %d", line.Item, line.Dataset, line.Line)
			}
		}
		if got != want {
			t.Errorf("the lines of the %s rate of May are %q, want %q", kind, got, want)
		}
	}

	inMemory := newRig(t, options, unlimited)
	must(t, inMemory.Refresh(t.Context()))
	for _, id := range []string{"201", "202"} {
		for _, date := range []string{"", "2026-06-29"} {
			texts := url.Values{"asset_id": {id}}
			if date != "" {
				texts.Set("as_of_date", date)
			}
			samePart(t, inMemory, r, "/pages/series/{asset_id}/events", texts)
		}
	}

	var real struct {
		Data []struct {
			Date   string
			Quota  float64
			Growth *float64
		}
	}
	must(t, ask("/pages/series/{asset_id}/growth", &real, "asset_id", "201"))
	// The 31st of March has no UF, and the 30th of July no quota.
	if len(real.Data) != 4 || *real.Data[0].Growth != 0 || real.Data[1].Growth != nil || real.Data[1].Quota != 100 ||
		math.Abs(*real.Data[2].Growth) > 1e-12 || math.Abs(*real.Data[3].Growth-0.1000000090909) > 1e-12 {
		t.Errorf("%+v", real.Data)
	}

	var official struct {
		Data []struct {
			Date, Basis string
			Years       int
			Cause       *string
		}
	}
	must(t, ask("/pages/series/{asset_id}/official_returns", &official, "asset_id", "201"))
	if len(official.Data) != 6 || official.Data[0].Date != "2026-06-30" || official.Data[0].Cause == nil ||
		*official.Data[0].Cause != "absent_on_both_sides" {
		t.Errorf("%+v", official.Data)
	}
}

// samePart compares what a page gets from an operation of two servers, and returns it.
func samePart(t *testing.T, memory, plain *rig, path string, texts url.Values) []byte {
	t.Helper()
	a, err := foundBy(t, memory.PageBatch(), path, texts)
	must(t, err)
	b, err := foundBy(t, plain.PageBatch(), path, texts)
	must(t, err)
	if !bytes.Equal(a, b) {
		t.Errorf("%s %v: memory has\n%s\nSQL has\n%s", path, texts, a, b)
	}
	return a
}

func TestWhatThePageOfASeriesShowsIsTheSameFromMemoryAsFromSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	for name, options := range map[string]*clickhouse.Options{"demo": demotest.Published(t),
		"invented": publishedInvention(t)} {
		t.Run(name, func(t *testing.T) { seriesPagesAreTheSame(t, options) })
	}
}

// seriesPagesAreTheSame compares what pages show of series of a market, open and closed ones, with breaks
// and under former names.
func seriesPagesAreTheSame(t *testing.T, options *clickhouse.Options) {
	memory, plain, statements := fromMemoryAndSQL(t, options)
	var open, closed, broken, former []uint32
	must(t, plain.conn.QueryRow(t.Context(), `SELECT
		(SELECT groupArray(10)(series_id) FROM (SELECT series_id FROM current_series WHERE current ORDER BY series_id)),
		(SELECT groupArray(5)(series_id) FROM (SELECT series_id FROM current_series WHERE NOT current ORDER BY series_id)),
		(SELECT groupUniqArray(5)(series_id) FROM current_discontinuity WHERE series_id IN (SELECT series_id FROM current_series)),
		(SELECT groupUniqArray(5)(label_id) FROM current_series_label)`).Scan(&open, &closed, &broken, &former))
	if len(open) == 0 || len(closed) == 0 || len(broken) == 0 {
		t.Fatalf("open series %v, closed ones %v, with breaks %v", open, closed, broken)
	}
	same := func(path string, texts url.Values) []byte { return samePart(t, memory, plain, path, texts) }
	compare := func(number uint32, date string) (items []string) {
		of := url.Values{"asset_id": {strconv.FormatUint(uint64(number), 10)}}
		if date != "" {
			of.Set("as_of_date", date)
		}
		same("/pages/series/{asset_id}/events", of)
		var known struct {
			Last    *string `json:"last_date"`
			TACKind *string `json:"tac_kind"`
			TACDate *string `json:"tac_date"`
		}
		must(t, json.Unmarshal(same("/pages/series/{asset_id}", of), &known))
		if known.Last != nil {
			of.Set("last_date", *known.Last)
		}
		if known.TACKind != nil {
			of.Set("tac_kind", *known.TACKind)
			of.Set("tac_date", *known.TACDate)
		}
		var sources struct{ Data []struct{ Item string } }
		must(t, json.Unmarshal(same("/pages/series/{asset_id}/sources", of), &sources))
		for _, source := range sources.Data {
			items = append(items, source.Item)
		}
		return items
	}
	for _, number := range slices.Concat(open, closed, broken, former) {
		compare(number, "")
	}
	for _, number := range closed {
		for _, path := range []string{"risk_metrics", "expense_ratio/history"} {
			sameReply(t, memory, plain, fmt.Sprintf("/api/real_assets/%d/%s", number, path))
		}
	}
	if n := statements.Load(); n != 0 {
		t.Errorf("%d statements reached ClickHouse", n)
	}
	for _, number := range closed {
		target := fmt.Sprintf("/api/real_assets/%d/returns", number)
		got, want := serve(memory.Handler(), sameRequest(memory, target)),
			serve(plain.Handler(), sameRequest(plain, target))
		if got.status != http.StatusOK || !bytes.Equal(got.body, want.body) {
			t.Errorf("%s: status %d\nwith what is in memory: %s\nfrom SQL: %s", target, got.status, got.body, want.body)
		}
	}
	items := map[string]int{}
	for _, number := range slices.Concat(open[:2], closed[:1], broken[:1], former) {
		for _, date := range []string{"2025-01-31", "2025-10-15"} {
			for _, item := range compare(number, date) {
				items[item]++
			}
		}
	}
	if items["quota"] < 5 || items["rating"] == 0 || items["tac"] == 0 {
		t.Errorf("of past dates, lines %v were compared", items)
	}
	var first, last model.Date
	var from, to time.Time
	must(t, plain.conn.QueryRow(t.Context(), "SELECT min(date), max(date) FROM current_market_day").Scan(&from, &to))
	first, last = model.DateOf(from), model.DateOf(to)
	random := rand.New(rand.NewPCG(16, 1))
	dates := []model.Date{first.AddDays(-1), first, last, last.AddDays(5)}
	for range longtest.Times(12) {
		dates = append(dates, first.AddDays(random.IntN(last.DaysSince(first)+1)))
	}
	ended := 0
	for _, series := range [][]uint32{open, closed, broken, former} {
		for _, number := range longtest.Sample(t, series, 3) {
			for _, date := range dates {
				before := statements.Load()
				same("/pages/series/{asset_id}", url.Values{"asset_id": {strconv.FormatUint(uint64(number), 10)},
					"as_of_date": {date.String()}})
				var quoted uint64
				must(t, plain.conn.QueryRow(t.Context(),
					"SELECT count() FROM current_market_day WHERE series_id = $1 AND date BETWEEN toDate($2) - 7 AND "+
						"$2 AND price IS NOT NULL",
					number, date.String()).Scan(&quoted))
				ran := statements.Load() - before
				if slices.Contains(open, number) && quoted > 0 && ran > 1 {
					t.Errorf("the page of series %d at %s ran %d statements, want only that of its quote", number, date,
						ran)
				}
				if slices.Contains(closed, number) && quoted == 0 && ran == 0 {
					ended++
				}
			}
		}
	}
	if ended == 0 {
		t.Error("no page of a series after its last quote came from memory")
	}
}

// The choice among the lines is made in Go. The views choose in SQL.
func TestTheLinesOfASeriesAreThoseOfTheViews(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, _ := fromMemoryAndSQL(t, publishedInvention(t))
	var numbers []uint32
	must(t, plain.conn.QueryRow(t.Context(), `SELECT arrayConcat(
		(SELECT groupArray(20)(series_id) FROM (SELECT series_id FROM current_series WHERE current ORDER BY series_id)),
		(SELECT groupUniqArray(6)(series_id) FROM current_series_label))`).Scan(&numbers))
	counted := map[string]int{}
	for _, number := range numbers {
		for _, date := range []string{"2025-01-31", "2025-07-31", "2025-10-15"} {
			of := url.Values{"asset_id": {strconv.FormatUint(uint64(number), 10)}, "as_of_date": {date}, "last_date": {date}}
			var sources struct {
				Data []struct {
					Item, SHA256 string
					Line         uint32
				}
			}
			must(t, json.Unmarshal(samePart(t, memory, plain, "/pages/series/{asset_id}/sources", of), &sources))
			var got []string
			for _, source := range sources.Data {
				got = append(got, fmt.Sprint(source.Item, " ", source.SHA256, " ", source.Line))
				counted[source.Item]++
			}
			var want []string
			must(t, plain.conn.QueryRow(t.Context(), `SELECT arraySort(groupArray(concat(item, ' ', source_sha256, ' ', toString(source_line)))) FROM
				(
					SELECT 'quota' AS item, source_sha256, source_line
					FROM batch_quota(batch = 1, from = {date:Date}, to = {date:Date})
					WHERE (run, serie) IN (SELECT run, serie FROM batch_series_name(batch = 1) WHERE series_id = {number:UInt32})
					  AND (run, serie, date) NOT IN (SELECT run, serie, date FROM batch_outranked_quota(batch = 1))
					UNION ALL
					SELECT 'rating', source_sha256, source_line
					FROM series_official_return_as_of(batch = 1, as_of = {date:Date}) WHERE series_id = {number:UInt32}
				)`, clickhouse.Named("date", date), clickhouse.Named("number", number)).Scan(&want))
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the lines of series %d on %s: %s", number, date, diff)
			}
		}
	}
	if counted["quota"] < 10 || counted["rating"] < 5 {
		t.Errorf("lines %v were compared", counted)
	}
}

func TestTheLinesOfManySeriesAreThoseOfTheirOwnDays(t *testing.T) {
	t.Parallel()
	options := publishedInvention(t)
	conn := connect(t, options)
	// A day of its own for each series, so that the days of others are days of it too.
	var runs []uint32
	var names, days []string
	must(t, conn.QueryRow(t.Context(), `SELECT groupArray(run), groupArray(serie), groupArray(toString(day)) FROM
		(SELECT run, serie, min(date) + row_number() OVER (ORDER BY run, serie) AS day FROM fact_quota GROUP BY run, serie LIMIT 20)`).
		Scan(&runs, &names, &days))
	reader := sql.NewReader(conn, "test", time.Minute, false, nil)
	found, err := sql.Rows[struct {
		Item      string     `ch:"item"`
		SeriesID  uint32     `ch:"series_id"`
		RUN       uint32     `ch:"run"`
		Serie     string     `ch:"serie_name"`
		Dataset   string     `ch:"dataset"`
		On        time.Time  `ch:"stated_on"`
		Official  []*float64 `ch:"official"`
		SHA256    string     `ch:"sha256"`
		Line      uint32     `ch:"line"`
		Published time.Time  `ch:"published_at"`
		Void      bool       `ch:"void"`
	}](t.Context(), reader, "series_sources", sql.Arg("batch", uint64(1)), sql.Arg("series", []uint32{}),
		sql.Arg("runs", runs), sql.Arg("series_names", names), sql.Arg("quoted_on", days),
		sql.Arg("tac_kinds", []string{}), sql.Arg("tac_months", []string{}), sql.Arg("comparator", "1970-01-01"))
	must(t, err)
	own := map[string]bool{}
	for i, run := range runs {
		own[fmt.Sprint(run, names[i], days[i])] = true
	}
	series := map[string]bool{}
	for _, of := range found {
		key := fmt.Sprint(of.RUN, of.Serie, of.On.Format(time.DateOnly))
		if series[key] = true; !own[key] {
			t.Errorf("a line of %s, which is no day that was asked of the series", key)
		}
	}
	if len(series) < 10 {
		t.Errorf("lines of %d series only", len(series))
	}
}
