package query_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// shown says where a column of a table stands in an item of JSON, and by what that is multiplied.
type shown struct {
	path string
	by   float64

	compact bool // a date without dashes in JSON
	whole   bool // path is one name, which may have dots
}

// tableCase is a request for rows that JSON has too.
type tableCase struct {
	name, target, list string
	columns            map[string]shown
}

// tables are requests whose rows are the items of data (or families) in JSON.
var tables = []tableCase{
	{"screener", "/api/screener?currency=PESOS&sort=1y&order=desc&limit=20&offset=3", "data", screenerColumns},
	{"screener of a past date", "/api/screener?currency=CLP&sort=3m&limit=20&as_of_date=2024-02-29", "data",
		screenerColumns},
	{"all-funds", "/api/all-funds?vehicle=all&date=2025-03-31", "data", allFundsColumns},
	{"days", "/api/real_assets/1161378270/days?from_date=2025-01-01", "data",
		map[string]shown{"date": {path: "attributes.date"}, "quota": {path: "attributes.price"}}},
	{"market-summary", "/api/market-summary?date=2025-06-30", "families", map[string]shown{}},
	{"expense history", "/api/real_assets/1161378270/expense_ratio/history", "data", map[string]shown{
		"month": {path: "attributes.date", compact: true}, "tac": {path: "attributes.expense_ratio"},
		"tac_kind": {path: "attributes.tac_kind"},
	}},
	{"all series", "/api/series?limit=1000", "data", map[string]shown{
		"asset_id": {path: "id"}, "run": {path: "attributes.run"}, "serie": {path: "attributes.serie"},
		"fund":    {path: "attributes.fund_name"},
		"manager": {path: "attributes.administrator"}, "vehicle": {path: "attributes.vehicle"},
		"last_category": {path: "attributes.last_category"},
		"last_family":   {path: "attributes.last_family"}, "currency": {path: "attributes.currency"},
		"first_date": {path: "attributes.first_date"},
		"last_date":  {path: "attributes.last_date"}, "status": {path: "attributes.status"},
	}},
	{"compare", "/api/compare?series=2322559342,1161378270", "data", screenerColumns},
	{"compare at a past date", "/api/compare?series=2322559342,1161378270&as_of_date=2024-02-29", "data",
		screenerColumns},
	{"ranking", "/api/agf_stats/ranking?metric=shareholders&date=2025-06-30", "data", rankingColumns},
	{"ranking at the cutoff", "/api/agf_stats/ranking", "data", rankingColumns},
	{"evolution", "/api/agf_stats/evolution?administrator=SOYFOCUS+ADMINISTRADORA+GENERAL+DE+FONDOS+S.A.", "data",
		map[string]shown{
			"month": {path: "month"}, "value": {path: "SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.", whole: true},
		}},
	{"changes of cost rates", "/api/reports/tac-changes?date=2025-03-31&limit=100", "data", map[string]shown{
		"run": {path: "run"}, "serie": {path: "serie"}, "fund": {path: "fundName"}, "manager": {path: "agf"},
		"category":       {path: "category"},
		"investor_class": {path: "investorClass"}, "currency": {path: "currency"},
		"equity": {path: "patrimony", by: 1e6}, "tac": {path: "tac"},
		"tac_previous": {path: "tacPrevious"},
		"tac_change":   {path: "tacDelta"}, "relative_change": {path: "tacDeltaPct", by: 0.01},
	}},
	{"returns by day", "/api/returns?from_date=2025-06-25&to_date=2025-06-30&limit=1000&offset=5", "data",
		returnsColumns()},
}

var allFundsColumns = map[string]shown{
	"run": {path: "run"}, "serie": {path: "serie"}, "fund": {path: "fundName"}, "manager": {path: "agf"},
	"vehicle":  {path: "vehicle"},
	"category": {path: "category"}, "family": {path: "fundFamily"}, "classified_later": {path: "classified_later"},
	"tac": {path: "tac"}, "tac_date": {path: "tac_as_of_date"}, "quota": {path: "price"},
	"quota_date":   {path: "price_as_of_date"},
	"daily_return": {path: "dailyChange", by: 0.01}, "month_return": {path: "monthlyChange", by: 0.01},
	"equity":       {path: "patrimony", by: 1e6},
	"shareholders": {path: "shareholders"}, "article107": {path: "article107RegulationStatus"},
}

var rankingColumns = map[string]shown{
	"rank": {path: "attributes.rank"}, "manager": {path: "attributes.administrator"},
	"equity_clp":   {path: "attributes.total_patrimony"},
	"shareholders": {path: "attributes.total_shareholders"}, "funds": {path: "attributes.fund_count"},
}

var screenerColumns = func() map[string]shown {
	columns := map[string]shown{
		"run": {path: "attributes.run"}, "serie": {path: "attributes.serie"}, "fund": {path: "attributes.fundName"},
		"manager":  {path: "attributes.agf"},
		"category": {path: "attributes.category"}, "family": {path: "attributes.fundFamily"},
		"currency": {path: "attributes.currency"},
		"tac":      {path: "attributes.tac"}, "quota": {path: "attributes.price"},
		"quota_date":   {path: "attributes.price_as_of_date"},
		"daily_return": {path: "attributes.dailyChange", by: 0.01}, "equity": {path: "attributes.patrimony", by: 1e6},
		"shareholders": {path: "attributes.shareholders"},
		"risk_score":   {path: "attributes.risk_score"}, "max_drawdown_36m": {path: "attributes.max_drawdown_36m"},
		"family_studies": {path: "attributes.fundFamilyStudies"},
		"investor_class": {path: "attributes.classificationInvestorClass"},
		"tac_date":       {path: "attributes.tac_as_of_date"},
		"month_return":   {path: "attributes.monthlyChange", by: 0.01},
		"risk_level":     {path: "attributes.risk_level"}, "risk_date": {path: "attributes.risk_as_of_date"},
		"volatility_12m": {path: "attributes.volatility_annualized_12m"},
		"volatility_36m": {path: "attributes.volatility_annualized_36m"},
		"spheres":        {path: "attributes.cmf_spheres.value"},
		"spheres_reason": {path: "attributes.cmf_spheres.reason"},
	}
	for _, window := range model.Windows {
		columns["return_"+window] = shown{path: "attributes.returns.periods." + window + ".value"}
		columns["reason_"+window] = shown{path: "attributes.returns.periods." + window + ".reason"}
	}
	return columns
}()

func returnsColumns() map[string]shown {
	columns := map[string]shown{"run": {path: "attributes.run"}, "serie": {path: "attributes.serie"},
		"fund": {path: "attributes.fundName"}, "date": {path: "attributes.date"},
		"currency":      {path: "attributes.currency"},
		"effective_end": {path: "attributes.effective_end"}, "month_currency": {path: "attributes.month_currency"},
		"month_effective_end": {path: "attributes.month_effective_end"}}
	for _, window := range []string{"1m", "3m", "6m", "1y", "ytd", "3y_ann", "5y_ann", "last_closed_month"} {
		columns["return_"+window] = shown{path: "attributes.returns." + window + ".value"}
		columns["reason_"+window] = shown{path: "attributes.returns." + window + ".reason"}
		columns["start_"+window] = shown{path: "attributes.returns." + window + ".effective_start"}
	}
	return columns
}

// The rows of each format are those of JSON, in the same order.
func TestTheRowsOfEveryFormatAreThoseOfJSON(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	for _, c := range tables {
		t.Run(c.name, func(t *testing.T) { c.sameInEveryFormat(t, r) })
	}
	t.Run("family index", func(t *testing.T) { // no family of the demo has one
		r := newRig(t, publishedInvention(t), unlimited)
		tableCase{"", familyWithIndex(t, r) + "?from_date=2025-06-01", "data", map[string]shown{
			"date": {path: "date"}, "level": {path: "value"}, "index_return": {path: "change", by: 0.01},
			"eligible_share": {path: "coverage.equity_share"},
		}}.sameInEveryFormat(t, r)
	})
}

// familyWithIndex returns the address of the index of a family that has one.
func familyWithIndex(t *testing.T, r *rig) string {
	t.Helper()
	for _, f := range decode[marketSummary](t, r.get(t, "/api/market-summary")).Families {
		if f.DailyChange != nil {
			return "/api/families/" + url.PathEscape(f.Family) + "/index"
		}
	}
	t.Fatal("no family has an index")
	return ""
}

func (c tableCase) sameInEveryFormat(t *testing.T, r *rig) {
	t.Helper()
	items := decode[map[string]any](t, r.get(t, c.target))[c.list].([]any)
	if len(items) == 0 {
		t.Fatal("JSON has no rows to compare with")
	}
	separator := "?"
	if strings.Contains(c.target, "?") {
		separator = "&"
	}
	var first tableRows
	for _, format := range readFormats {
		got := r.get(t, c.target+separator+"format="+format)
		wantStatus(t, got, http.StatusOK)
		if got.header.Get("Content-Type") != mediaOf[format] ||
			!strings.HasPrefix(got.header.Get("ETag"), `W/"`) {
			t.Errorf("%s: %v", format, got.header)
		}
		rows := readTable(t, format, got.body, first)
		if first == nil {
			first = rows
		}
		if format == "ndjson" && c.list == "data" && len(rows) != len(items) || len(rows) != len(first) {
			t.Fatalf("%s has %d rows, JSON %d, NDJSON %d", format, len(rows), len(items), len(first))
		}
		for i, row := range rows {
			if a, b := slices.Sorted(maps.Keys(row)), slices.Sorted(maps.Keys(first[i])); !slices.Equal(a, b) {
				t.Fatalf("%s: columns %v, in NDJSON %v", format, a, b)
			}
			for name, value := range row {
				if !same(value, first[i][name]) {
					t.Fatalf("%s: row %d: %s is %v, in NDJSON %v", format, i, name, value, first[i][name])
				}
			}
		}
	}
	sameAsJSON(t, c.columns, items, first)
}

// sameAsJSON compares the rows of a table with the items of JSON, in the same order.
func sameAsJSON(t *testing.T, columns map[string]shown, items []any, rows tableRows) {
	t.Helper()
	for i, row := range rows {
		for name, at := range columns {
			want := pick(items[i], at.path)
			if at.whole {
				want = items[i].(map[string]any)[at.path]
			}
			if at.by != 0 {
				want = scaled(want, at.by)
			}
			have, there := row[name]
			if at.compact && there {
				have = strings.ReplaceAll(have.(string), "-", "")
			}
			if !there || !same(have, want) {
				t.Errorf("row %d: %s is %v (there: %t), in JSON %v", i, name, have, there, want)
			}
		}
	}
}

// The table of the summary has a row for each currency of a family.
func TestTheSummaryAsATableHasARowForEachCurrencyOfAFamily(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	if n := sameFamilies(t, r, "/api/market-summary?"); n == 0 {
		t.Error("the summary has no family")
	}
}

// sameFamilies compares the families of a summary in JSON and as a table, and returns how many rows the table has.
func sameFamilies(t *testing.T, r *rig, target string) int {
	t.Helper()
	families := decode[map[string]any](t, r.get(t, target))["families"].([]any)
	rows := readTable(t, "ndjson", r.get(t, target+"&format=ndjson").body, nil)
	at := 0
	for _, family := range families {
		of := pick(family, "byCurrency").(map[string]any)
		for range of {
			row := rows[at]
			at++
			want := of[row["currency"].(string)]
			if row["family"] != pick(family, "family") || !same(row["equity"], scaled(pick(want, "patrimony"), 1e6)) ||
				!same(row["daily_return"], scaled(pick(want, "dailyChange"), 0.01)) ||
				!same(row["series"], pick(want, "seriesCount")) {
				t.Errorf("row %d is %v, in JSON %v", at, row, family)
			}
		}
	}
	if at != len(rows) {
		t.Errorf("%s: %d rows, in JSON %d", target, len(rows), at)
	}
	return at
}

func TestWithoutALimitATableHasAllRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	total := pick(decode[map[string]any](t, r.get(t, "/api/screener?limit=1")), "meta.total").(float64)
	if rows := readTable(t, "ndjson", r.get(t, "/api/screener?format=ndjson").body, nil); float64(len(rows)) != total {
		t.Errorf("%d rows of %v", len(rows), total)
	}
	// The default of JSON and no limit are two replies, although the parameter has the same value.
	a, b := r.get(t, "/api/screener?format=csv"), r.get(t, "/api/screener?format=csv&limit=50")
	if a.header.Get("ETag") == b.header.Get("ETag") {
		t.Error("all rows and 50 rows have one validator")
	}
}

func TestTheAcceptHeaderChoosesAFormat(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	for accept, want := range map[string]string{
		"":                                       "application/json",
		"*/*":                                    "application/json",
		"text/csv":                               "text/csv; charset=utf-8",
		"text/csv, */*":                          "text/csv; charset=utf-8",
		"text/csv;q=0.5, application/json":       "application/json",
		"text/csv, application/json":             "application/json",
		"application/json;q=0.1, text/csv;q=0.2": "text/csv; charset=utf-8",
		"application/x-ndjson;q=0.5, application/vnd.apache.parquet": "application/vnd.apache.parquet",
		"application/vnd.apache.arrow.stream":                        "application/vnd.apache.arrow.stream",
		"text/csv;q=x, text/html, ;;, image/*":                       "application/json",
		"text/csv;q=0":                                               "application/json",
	} {
		request := r.request(http.MethodGet, "/api/screener?limit=2")
		request.Header.Set("Accept", accept)
		if got := r.do(t, request); got.header.Get("Content-Type") != want {
			t.Errorf("Accept %q gives %s, want %s", accept, got.header.Get("Content-Type"), want)
		}
		request = r.request(http.MethodGet, "/api/screener?limit=2&format=ndjson")
		request.Header.Set("Accept", accept)
		if got := r.do(t, request); got.header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("Accept %q is preferred to the parameter", accept)
		}
	}
}

func TestAnUnknownFormatIsRefusedWithTheListOfAll(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	for _, value := range []string{"xml", "CSV", "Parquet", "csv%00", "csv%0aFORMAT+Null", "%27", "",
		strings.Repeat("a", 9000), "csv&format=csv"} {
		got := r.get(t, "/api/screener?format="+value)
		wantStatus(t, got, http.StatusUnprocessableEntity)
		if value == "xml" && !strings.Contains(string(got.body), "json, csv, ndjson, parquet, arrow, xlsx") {
			t.Errorf("%s", got.body)
		}
	}
}

// Values of parameters reach ClickHouse as they are, whatever they hold.
func TestValuesThatLookLikeSQLAreOnlyValuesInATable(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	for _, value := range []string{"'", `\`, `\N`, "a\tb\nc", "\x00", "{batch:UInt64}", "') FORMAT Null --",
		"&param_batch=1", "%", "ñ"} {
		target := "/api/screener?q=" + urlEscape(value)
		total := pick(decode[map[string]any](t, r.get(t, target)), "meta.total").(float64)
		got := r.get(t, target+"&format=ndjson")
		wantStatus(t, got, http.StatusOK)
		if rows := readTable(t, "ndjson", got.body, nil); float64(len(rows)) != total {
			t.Errorf("%q: %d rows, in JSON %v", value, len(rows), total)
		}
	}
}

func TestATableThatIsKnownIsNotSentAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	for _, format := range tableFormats {
		target := "/api/screener?limit=5&format=" + format
		got := r.get(t, target)
		request := r.request(http.MethodGet, target)
		request.Header.Set("If-None-Match", got.header.Get("ETag"))
		again := serve(r.Handler(), request)
		if again.status != http.StatusNotModified || len(again.body) > 0 ||
			again.header.Get("ETag") != got.header.Get("ETag") {
			t.Errorf("%s: status %d, validator %s, want %s", format, again.status, again.header.Get("ETag"),
				got.header.Get("ETag"))
		}
		head := serve(r.Handler(), r.request(http.MethodHead, target))
		if head.status != http.StatusOK || len(head.body) > 0 || head.header.Get("ETag") != got.header.Get("ETag") ||
			head.header.Get("Content-Type") != mediaOf[format] {
			t.Errorf("%s: HEAD gives %d %v", format, head.status, head.header)
		}
	}
	if a, b := r.get(t, "/api/screener?format=csv"),
		r.get(t, "/api/screener?format=ndjson"); a.header.Get("ETag") == b.header.Get("ETag") {
		t.Error("two formats have one validator")
	}
}

func urlEscape(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		fmt.Fprintf(&out, "%%%02X", b)
	}
	return out.String()
}
