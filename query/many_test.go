package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
	"cuota/query"
	"cuota/query/series"

	"github.com/google/go-cmp/cmp"
)

// send posts a body of JSON, and checks that a reply of JSON conforms to the document.
func (r *rig) send(t testing.TB, key, target, body string) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	request.Header.Set("X-Api-Key", key)
	request.Header.Set("Content-Type", "application/json")
	got := serve(r.Handler(), request)
	if got.header.Get("Content-Type") != "application/x-ndjson" {
		ours.Conforms(t, request, got.status, got.header, got.body)
	}
	return got
}

// screenOf writes a query string as the JSON object of a screen. Numbers and truth values are texts or not by chance.
func screenOf(t testing.TB, v url.Values, text bool) json.RawMessage {
	t.Helper()
	screen := map[string]any{}
	for name := range v {
		screen[name] = v.Get(name)
		number, err := strconv.ParseInt(v.Get(name), 10, 64)
		switch {
		case text:
		case err == nil && strings.Contains(" limit offset cmf_spheres_min cmf_spheres_max ", " "+name+" "):
			screen[name] = number
		case slices.ContainsFunc(filters, func(f filter) bool { return f.name == name && f.isFlag() }):
			screen[name] = v.Get(name) == "true"
		}
	}
	out, err := json.Marshal(screen)
	must(t, err)
	return out
}

// chosenOf keeps chosen paths of the attributes of each item of a list, and everything else.
func chosenOf(t testing.TB, body []byte, fields string) any {
	t.Helper()
	var list map[string]any
	must(t, json.Unmarshal(body, &list))
	for _, item := range list["data"].([]any) {
		whole := item.(map[string]any)["attributes"].(map[string]any)
		kept := map[string]any{}
		for path := range strings.SplitSeq(fields, ",") {
			from, to := whole, kept
			names := strings.Split(path, ".")
			for i, name := range names {
				inner, isObject := from[name].(map[string]any)
				if i == len(names)-1 || !isObject {
					to[name] = from[name]
					break
				}
				if to[name] == nil {
					to[name] = map[string]any{}
				}
				from, to = inner, to[name].(map[string]any)
			}
		}
		item.(map[string]any)["attributes"] = kept
	}
	return list
}

func textOf(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// orNil returns what a pointer points to.
func orNil[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func parsed(t testing.TB, body []byte) (out any) {
	t.Helper()
	must(t, json.Unmarshal(body, &out))
	return out
}

var someFields = []string{"fundName,tac", "tac", "returns.periods.1y.value,returns.periods.1m,run",
	"seriesContinuity,cmf_spheres.value,price", "returns,cmf_spheres"}

func TestManyAnswersAreThoseOfSingleRequests(t *testing.T) {
	t.Parallel()
	market := demotest.New(t)
	market.IngestDemo(t)
	market.Build(t)
	memory, plain, statements := fromMemoryAndSQL(t, market.Options)
	all := plain.screenerRows(t, 1)
	random := rand.New(rand.NewPCG(38, 1))

	t.Run("screens, in their order, with chosen attributes and past dates", func(t *testing.T) {
		var screens []json.RawMessage
		var targets, fields []string
		for n := range 60 {
			v := screenerRequest(random.IntN, all)
			if random.IntN(4) == 0 {
				v.Set("as_of_date", []string{"2024-03-15", "2025-06-29"}[random.IntN(2)])
			}
			if v.Get("limit") == "200" || !v.Has("limit") {
				v.Set("limit", "20")
			}
			targets, fields = append(targets, "/api/screener?"+v.Encode()), append(fields, "")
			if random.IntN(3) > 0 {
				fields[n] = someFields[random.IntN(len(someFields))]
				v.Set("fields", fields[n])
			}
			screens = append(screens, screenOf(t, v, n%2 == 0))
		}
		body, err := json.Marshal(map[string]any{"screens": screens})
		must(t, err)
		for name, r := range map[string]*rig{"memory": memory, "SQL": plain} {
			got := r.send(t, r.key, "/api/screens", string(body))
			wantStatus(t, got, http.StatusOK)
			answers := decode[struct{ Data []json.RawMessage }](t, got).Data
			lines := r.send(t, r.key, "/api/screens?format=ndjson", string(body))
			wantStatus(t, lines, http.StatusOK)
			byLine := bytes.SplitAfter(lines.body, []byte("\n"))
			if len(answers) != len(screens) || len(byLine) != len(screens)+1 ||
				lines.header.Get("Content-Type") != "application/x-ndjson" {
				t.Fatalf("%s: %d answers and %d lines to %d screens", name, len(answers), len(byLine), len(screens))
			}
			rows := 0
			for i, target := range targets {
				single := r.get(t, target)
				wantStatus(t, single, http.StatusOK)
				if string(answers[i])+"\n" != string(byLine[i]) {
					t.Errorf("%s: the line of %s is not its answer", name, target)
				}
				if fields[i] == "" {
					if string(byLine[i]) != string(single.body) {
						t.Errorf("%s: %s: %.300s\nwant %.300s", name, target, byLine[i], single.body)
					}
					continue
				}
				if list, is := parsed(t, single.body).(map[string]any); is {
					rows += len(list["data"].([]any))
				}
				want, found := chosenOf(t, single.body, fields[i]), parsed(t, answers[i])
				delete(want.(map[string]any), "links") // the link of one repeats fields
				delete(found.(map[string]any), "links")
				if diff := cmp.Diff(want, found); diff != "" {
					t.Errorf("%s: %s with %s: %s", name, target, fields[i], diff)
				}
				chosen := r.get(t, target+"&fields="+url.QueryEscape(fields[i]))
				wantStatus(t, chosen, http.StatusOK)
				if string(chosen.body) != string(byLine[i]) ||
					chosen.header.Get("Content-Type") != chosenType {
					t.Errorf("%s: %s with %s alone differs: %.300s", name, target, fields[i], chosen.body)
				}
			}
			if rows < 20 {
				t.Errorf("%s: only %d rows had chosen attributes", name, rows)
			}
		}
	})

	t.Run("screens at the cutoff need no statement", func(t *testing.T) {
		before := statements.Load()
		wantStatus(t, memory.send(t, memory.key, "/api/screens", `{"screens": [{}, {"sort": "tac", "limit": 1}]}`),
			http.StatusOK)
		if after := statements.Load(); after != before {
			t.Errorf("%d statements ran", after-before)
		}
	})

	t.Run("the link of an answer leads to the next page of its screen", func(t *testing.T) {
		got := memory.send(t, memory.key, "/api/screens",
			`{"screens": [{"limit": 2, "sort": "tac", "fields": "tac"}]}`)
		link := decode[struct {
			Data []struct{ Links struct{ Next string } }
		}](t, got).Data[0].Links.Next
		next := memory.get(t, link)
		wantStatus(t, next, http.StatusOK)
		if want := memory.get(t, "/api/screener?sort=tac&limit=2&offset=2&fields=tac"); string(next.body) != string(want.body) {
			t.Errorf("%s: %s, want %s", link, next.body, want.body)
		}
	})

	t.Run("comparisons, also at a past date", func(t *testing.T) {
		for _, more := range []string{"", "as_of_date=2025-03-14"} {
			for _, fields := range someFields {
				var ids []string
				for _, at := range random.Perm(len(all))[:7] {
					ids = append(ids, strconv.FormatUint(uint64(all[at].ID), 10))
				}
				date := ""
				if more != "" {
					ids, date = []string{"1161378270", "2322559342"}, `, "as_of_date": "2025-03-14"`
				}
				list := `["` + strings.Join(ids, `","`) + `"]`
				for name, r := range map[string]*rig{"memory": memory, "SQL": plain} {
					single := r.get(t, "/api/compare?series="+strings.Join(ids, ",")+"&"+more)
					wantStatus(t, single, http.StatusOK)
					many := r.send(t, r.key, "/api/compare", `{"series": `+list+date+`}`)
					wantStatus(t, many, http.StatusOK)
					if string(single.body) != string(many.body) {
						t.Errorf("%s: %v: %.300s\nwant %.300s", name, ids, many.body, single.body)
					}
					chosen := r.send(t, r.key, "/api/compare", `{"series": `+list+date+`, "fields": "`+fields+`"}`)
					if diff := cmp.Diff(chosenOf(t, single.body, fields), parsed(t, chosen.body)); diff != "" {
						t.Errorf("%s: %v with %s: %s", name, ids, fields, diff)
					}
					one := r.get(t, "/api/compare?series="+strings.Join(ids, ",")+"&"+more+"&fields="+fields)
					if string(one.body) != string(chosen.body) {
						t.Errorf("%s: %v with %s alone differs", name, ids, fields)
					}
				}
			}
		}
	})

	t.Run("returns between any two days are those of the quotes on them", func(t *testing.T) {
		wantStatus(t, memory.get(t, "/api/returns?from=2024-01-01&to=2024-01-02&valuation=clp"),
			http.StatusServiceUnavailable) // the operator has not enabled it
		memory := newRig(t, market.Options, query.Config{HTTP: unlimited.HTTP, Returns: series.ReturnKinds})
		history, err := oracle.Load(demoHistory(t)...)
		must(t, err)
		must(t, history.LoadRates("../demo/files/macro/dolar_observado.csv", "../demo/files/macro/uf_diaria.csv"))
		type period struct {
			SerieID, RUN, Serie string
			Valuation           string
			Currency            *string
			Value               *float64
			Reason              *string
			Start               *string `json:"effective_start"`
			End                 *string `json:"effective_end"`
		}
		type periods struct {
			Data []struct{ Attributes period }
			Meta struct{ Limit int }
		}
		between := func(from, to, more string) periods {
			got := memory.get(t, "/api/returns?from="+from+"&to="+to+more)
			wantStatus(t, got, http.StatusOK)
			if got.header.Get("Content-Type") != periodType {
				t.Errorf("content type %q", got.header.Get("Content-Type"))
			}
			return decode[periods](t, got)
		}
		reasons, valued, values := map[string]int{}, map[string]int{}, 0
		first, last := model.NewDate(2019, time.October, 1), model.NewDate(2025, time.July, 20)
		for range 150 {
			from := first.AddDays(random.IntN(last.DaysSince(first)))
			to := from.AddDays(1 + random.IntN(last.DaysSince(from)+20))
			valuation := []string{"accounting", "clp", "real_uf"}[random.IntN(3)]
			listed := between(from.String(), to.String(), "&limit=1000&valuation="+valuation)
			var ids []string
			for _, of := range listed.Data {
				run, err := model.ParseRUN(of.Attributes.RUN)
				must(t, err)
				if run != 9809 && run != 9810 {
					continue
				}
				ids = append(ids, of.Attributes.SerieID)
				want := history.AdjustedBetween(int(run), of.Attributes.Serie, from.Time(), to.Time(), valuation)
				got := of.Attributes
				found := [4]string{textOf(got.Reason), textOf(got.Start), textOf(got.End), got.Valuation}
				if found != [4]string{want.Reason, want.EffectiveStart, want.EffectiveEnd, valuation} ||
					(got.Value == nil) != (want.Value == nil) || got.Value != nil &&
					textOf(got.Currency) != want.Currency {
					t.Errorf("%s %s from %s to %s: %q, want %+v", got.RUN, got.Serie, from, to, found, want)
				}
				valued[valuation]++
				if reasons[want.Reason]++; got.Value != nil && want.Value != nil {
					if values++; math.Abs(*got.Value-*want.Value) > 1e-12 {
						t.Errorf("%s %s from %s to %s: %v, want %v", got.RUN, got.Serie, from, to, *got.Value, *want.Value)
					}
				}
			}
			if len(ids) > 1 { // a named series has the same, in whatever order it is named
				slices.Reverse(ids)
				named := between(from.String(), to.String(), "&limit=1&series="+strings.Join(ids, ","))
				if len(named.Data) != len(ids) {
					t.Errorf("%d of %d named series are answered", len(named.Data), len(ids))
				}
			}
		}
		if values < 300 || valued["clp"] < 100 || valued["real_uf"] < 100 || reasons["missing_start_quote"] < 20 || reasons["stale_end_quote"] < 20 {
			t.Errorf("%d values, and %v: too little was compared", values, reasons)
		}
		tables := memory
		for _, more := range []string{"", "&limit=3&offset=1", "&series=2322559342,1161378270",
			"&limit=1000&valuation=real_uf&tac_kind=synthetic&investor_class=apv"} {
			var want tableRows
			page := more
			if more == "" {
				page = "&limit=1000"
			}
			for _, of := range between("2024-01-02", "2025-06-30", page).Data {
				a := of.Attributes
				id, err := strconv.ParseFloat(a.SerieID, 64)
				must(t, err)
				want = append(want, map[string]any{"series_id": id, "run": a.RUN, "serie": a.Serie,
					"valuation": a.Valuation, "value": orNil(a.Value), "currency": orNil(a.Currency), "reason": orNil(a.Reason),
					"effective_start": orNil(a.Start), "effective_end": orNil(a.End)})
			}
			for _, format := range readFormats {
				got := tables.get(t, "/api/returns?from=2024-01-02&to=2025-06-30"+more+"&format="+format)
				wantStatus(t, got, http.StatusOK)
				rows := readTable(t, format, got.body, want)
				for _, row := range rows {
					delete(row, "fund")
				}
				if more == "" && len(rows) > len(want) { // all rows, of which JSON gives 1,000 on a page
					rows = rows[:len(want)]
				}
				// The reader of workbooks gives 15 digits, as Excel does.
				near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-14*math.Max(1, math.Abs(a)) })
				if diff := cmp.Diff(want, rows, near); diff != "" {
					t.Errorf("%q as %s: %s", more, format, diff)
				}
			}
		}
		wantStatus(t, tables.get(t, "/api/returns?from=2024-01-02&to=2025-06-30&series=1161378270,7&format=csv"),
			http.StatusNotFound)
		// Filters leave the series that the screener has with them.
		for _, filter := range []string{"currency=USD", "administrator=santander", "cmf_spheres_min=4&held=true",
			"tac_kind=synthetic&investor_class=apv", "fund_family=nothing"} {
			ids := func(target string) (list []string) {
				t.Helper()
				got := memory.get(t, target+"&format=ndjson")
				wantStatus(t, got, http.StatusOK)
				for line := range bytes.Lines(got.body) {
					var row struct {
						ID json.Number `json:"series_id"`
					}
					must(t, json.Unmarshal(line, &row))
					list = append(list, row.ID.String())
				}
				return list
			}
			screened := ids("/api/screener?" + filter)
			for days, least := range map[string]int{"date=2025-06-30": 0, "from_date=2025-06-30&to_date=2025-07-01": 0,
				"from=2025-07-10&to=2025-07-20": 100} {
				var want []string
				for _, id := range ids("/api/returns?" + days) {
					if slices.Contains(screened, id) {
						want = append(want, id)
					}
				}
				if got := ids("/api/returns?" + days + "&" + filter); !cmp.Equal(got, want) ||
					len(got) < least && filter != "fund_family=nothing" {
					t.Errorf("%s with %s: %v, want %v", days, filter, got, want)
				}
			}
		}
		// The window of a year is a period.
		year := between("2024-07-20", "2025-07-20", "&series=1161378270").Data[0].Attributes
		window := decode[struct {
			Data struct {
				Attributes struct {
					Periods map[string]struct{ Value *float64 }
				}
			}
		}](t, memory.get(t, "/api/real_assets/1161378270/returns")).Data.Attributes.Periods["1y"]
		if year.Value == nil || window.Value == nil || *year.Value != *window.Value {
			t.Errorf("a year is %v, and the window %v", year.Value, window.Value)
		}
		stored := memory.get(t, "/api/returns?date=2025-06-30&series=1161378270,2322559342")
		if ids := decode[items](t, stored).ids(); !cmp.Equal(ids, []string{"1161378270_2025-06-30", "2322559342_2025-06-30"}) {
			t.Errorf("the stored returns of two series are those of %v", ids)
		}
		if cost := stored.header.Get("X-Request-Cost"); cost != "1" {
			t.Errorf("two series cost %s", cost)
		}
		wantStatus(t, memory.get(t, "/api/returns?from=2024-01-01&to=2025-01-01&series=1161378270,7"), http.StatusNotFound)
		for query, want := range map[string]string{
			"from=2024-01-01":                                     "query.to:missing",
			"to=2024-01-01":                                       "query.from:missing",
			"from=2024-01-01&to=2024-01-01":                       "query.from:value_error",
			"from=2024-01-01&to=2024-01-02&date=2024-01-01":       "query.from:value_error",
			"from=2024-01-01&to=2024-01-02&series=1,1":            "query.series:duplicate",
			"from=2024-01-01&to=2024-01-02&series=x":              "query.series:int_parsing",
			"date=2024-01-01&valuation=clp":                       "query.valuation:value_error",
			"date=2024-01-01&series=1&currency=USD":               "query.series:value_error",
			"date=2024-01-01&cmf_spheres_min=3&cmf_spheres_max=2": "query.cmf_spheres_min:value_error",
		} {
			got := memory.get(t, "/api/returns?"+query)
			wantStatus(t, got, http.StatusUnprocessableEntity)
			if found := got.violations(t); len(found) != 1 || found[0] != want {
				t.Errorf("%s: %v, want %s", query, found, want)
			}
		}
	})

	t.Run("500 series are compared at once", func(t *testing.T) {
		var ids []string
		for _, of := range all[:500] {
			ids = append(ids, strconv.FormatUint(uint64(of.ID), 10))
		}
		for name, r := range map[string]*rig{"memory": memory, "SQL": plain} {
			got := r.send(t, r.key, "/api/compare", `{"series": [`+strings.Join(ids, ",")+`], "fields": "serieId"}`)
			wantStatus(t, got, http.StatusOK)
			if found := decode[items](t, got).ids(); !cmp.Equal(found, ids) {
				t.Errorf("%s: %d series, not those asked for in their order", name, len(found))
			}
		}
	})
}

func TestTenAnswersCountAsOneRequest(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	key := r.issue(t, account.Free, account.OwnQuota(25))
	screens := func(n int) string { return `{"screens": [{}` + strings.Repeat(",{}", n-1) + `]}` }
	for _, c := range []struct {
		screens    int
		cost, left string
	}{{1, "1", "24"}, {10, "1", "23"}, {11, "2", "21"}, {200, "20", "1"}} {
		got := r.send(t, key, "/api/screens", screens(c.screens))
		wantStatus(t, got, http.StatusOK)
		cost, left := got.header.Get("X-Request-Cost"), got.header.Get("X-RateLimit-Remaining")
		if cost != c.cost || left != c.left {
			t.Errorf("%d screens cost %s and leave %s, want %s and %s", c.screens, cost, left, c.cost, c.left)
		}
		meta := decode[struct {
			Meta struct {
				Answers         int
				CountedRequests int64 `json:"counted_requests"`
			}
		}](t, got).Meta
		if fmt.Sprint(meta.CountedRequests) != c.cost || meta.Answers != c.screens {
			t.Errorf("%d screens: %+v", c.screens, meta)
		}
	}
	refused := r.send(t, key, "/api/screens", screens(11))
	wantCode(t, refused, http.StatusTooManyRequests, "quota_exhausted")
	if detail := refused.failure(t).Detail; !strings.Contains(string(detail), "counts as 2 requests, and the key has 1 left") {
		t.Errorf("the detail is %s", detail)
	}
	if left := refused.header.Get("X-RateLimit-Remaining"); left != "1" {
		t.Errorf("a refused request leaves %s, want 1", left)
	}
	wantStatus(t, r.send(t, key, "/api/compare", `{"series": ["201", 205]}`), http.StatusOK)
	wantCode(t, r.send(t, key, "/api/compare", `{"series": ["201"]}`), http.StatusTooManyRequests, "quota_exhausted")
}

func TestAWrongPartOfManyIsRefusedByItsPlace(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	dates := `{"screens": [{"as_of_date": "2020-01-01"}`
	for day := 2; day <= 13; day++ {
		dates += fmt.Sprintf(`, {"as_of_date": "2020-01-%02d"}`, day)
	}
	for body, want := range map[string]string{
		`{"screens": []}`: "body.screens:value_error",
		`{}`:              "body.screens:value_error",
		`{"screens": [{}` + strings.Repeat(",{}", 200) + `]}`:      "body.screens:value_error",
		`{"screens": [{}, 7]}`:                                     "body.screens.1:value_error",
		`{"screens": [{}, null]}`:                                  "body.screens.1:value_error",
		`{"screens": [{"limit": 0}]}`:                              "body.screens.0.limit:greater_than_equal",
		`{"screens": [{"limit": 1.5}]}`:                            "body.screens.0.limit:int_parsing",
		`{"screens": [{"limit": [1]}]}`:                            "body.screens.0.limit:value_error",
		`{"screens": [{"limit": {"a": 1}}]}`:                       "body.screens.0.limit:value_error",
		`{"screens": [{"limit": 1, "limit": 2}]}`:                  "body.screens.0.limit:repeated",
		`{"screens": [{"categry": "balanced"}]}`:                   "body.screens.0.categry:unknown_field",
		`{"screens": [{"batch_id": "x"}]}`:                         "body.screens.0.batch_id:unknown_field",
		`{"screens": [{"format": "csv"}]}`:                         "body.screens.0.format:unknown_field",
		`{"screens": [{"sort": "1y"}]}`:                            "body.screens.0.currency:missing",
		`{"screens": [{}, {"fields": "tac,no"}]}`:                  "body.screens.1.fields:unknown_field",
		`{"screens": [{"fields": "returns.periods.2y"}]}`:          "body.screens.0.fields:unknown_field",
		`{"screens": [{"fields": "tac,tac"}]}`:                     "body.screens.0.fields:duplicate",
		`{"screens": [{"fields": "returns,returns.unit"}]}`:        "body.screens.0.fields:duplicate",
		`{"screens": [{"fields": "tac, run"}]}`:                    "body.screens.0.fields:unknown_field",
		`{"screens": [{"fields": ","}]}`:                           "body.screens.0.fields:value_error",
		`{"screens": [{}], "sort": "id"}`:                          "body:value_error",
		`{"screens": {"limit": 1}}`:                                "body.screens:value_error",
		dates + `]}`:                                               "body.screens:too_long",
		`{"screens": [{"as_of_date": "2099-01-01"}]}`:              "body.screens.0.as_of_date:date_future",
		`{"screens": [{"q": "` + strings.Repeat("x", 201) + `"}]}`: "body.screens.0.q:string_too_long",
	} {
		got := r.send(t, r.key, "/api/screens", body)
		wantStatus(t, got, http.StatusUnprocessableEntity)
		if found := got.violations(t); len(found) != 1 || found[0] != want {
			t.Errorf("%.200s: %v, want %s", body, found, want)
		}
	}
	for body, want := range map[string]string{
		`{}`:                               "body.series:missing",
		`{"series": []}`:                   "body.series:missing",
		`{"series": "201"}`:                "body.series.0:int_parsing",
		`{"series": ["x"]}`:                "body.series.0:int_parsing",
		`{"series": ["201", "0201"]}`:      "body.series:duplicate",
		`{"series": [["201"]]}`:            "body.series:value_error",
		`{"series": [201], "fields": "x"}`: "body.fields:unknown_field",
		`[]`:                               "body:value_error",
	} {
		got := r.send(t, r.key, "/api/compare", body)
		if body == `{"series": "201"}` {
			wantStatus(t, got, http.StatusOK) // one text stands for a list of one
			continue
		}
		wantStatus(t, got, http.StatusUnprocessableEntity)
		if found := got.violations(t); len(found) != 1 || found[0] != want {
			t.Errorf("%s: %v, want %s", body, found, want)
		}
	}
	many := make([]string, 501)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	got := r.send(t, r.key, "/api/compare", `{"series": [`+strings.Join(many, ",")+`]}`)
	wantStatus(t, got, http.StatusUnprocessableEntity)
	wantStatus(t, r.send(t, r.key, "/api/compare", `{"series": [201, 4000000000]}`), http.StatusNotFound)
	wantStatus(t, r.get(t, "/api/screener?fields=tac&format=csv"), http.StatusUnprocessableEntity)
	wantStatus(t, r.get(t, "/api/compare?series=201&fields=tac&format=csv"), http.StatusUnprocessableEntity)
	wantStatus(t, r.send(t, r.key, "/api/screens?batch_id=no", `{"screens": [{}]}`), http.StatusGone)
}
