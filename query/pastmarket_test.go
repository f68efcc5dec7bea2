package query_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"

	"github.com/ClickHouse/clickhouse-go/v2"
	gocmp "github.com/google/go-cmp/cmp"
)

// pastPage is a page of the screener, or a reply of compare, at a past date.
type pastPage struct {
	Data []struct {
		ID         string
		Attributes map[string]any
	}
	Meta struct {
		AsOf     string            `json:"as_of_date"`
		Total    int               `json:"total"`
		Count    int               `json:"series_count"`
		TACKinds map[string]string `json:"tac_kinds"`
		Past     *struct {
			Requested       string `json:"requested_as_of_date"`
			Complete        bool   `json:"complete"`
			Universe        string `json:"universe"`
			Bias            bool   `json:"survivorship_bias"`
			ClassifiedLater bool   `json:"classified_later"`
		} `json:"past"`
	}
}

func (p pastPage) ids() []string {
	ids := make([]string, len(p.Data))
	for i, row := range p.Data {
		ids[i] = row.ID
	}
	return ids
}

// pastScreen reads all rows of the screener at a date, or at the cutoff if it is empty, by id.
func (r *rig) pastScreen(t *testing.T, date, filters string) (all pastPage) {
	t.Helper()
	if date != "" {
		filters += "&as_of_date=" + date
	}
	for {
		page := decode[pastPage](t,
			r.get(t, fmt.Sprintf("/api/screener?limit=200&offset=%d&%s", len(all.Data), filters)))
		page.Data = append(all.Data, page.Data...)
		for id, kind := range all.Meta.TACKinds {
			page.Meta.TACKinds[id] = kind
		}
		all = page
		if len(all.Data) >= all.Meta.Total {
			return all
		}
	}
}

// withoutBatch removes what a row of the screener says about the batch, and not about the
// series and its values on the date.
func withoutBatch(row map[string]any) map[string]any {
	returns, spheres := row["returns"].(map[string]any), row["cmf_spheres"].(map[string]any)
	for _, key := range []string{
		"batch_id", "calculated_at", "calculation_date", "input_fingerprint", "latest_complete_date", "cutoff_age_days",
		"snapshot_lag_days",
		"refresh_required", "requested_as_of_date", "calculation_mode",
	} {
		delete(returns, key)
	}
	delete(spheres, "batch_id")
	return row
}

func at(of any, path ...string) any {
	for _, key := range path {
		of = of.(map[string]any)[key]
	}
	return of
}

func TestTheScreenerOfAPastDateHasTheValuesOfThatDate(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	t.Run("demo", func(t *testing.T) {
		screenersAreOfTheirDates(t, demotest.Published(t), 2800, "2025-07-20", "2025-07-19", "2021-08-15")
	})
	t.Run("invented", func(t *testing.T) {
		screenersAreOfTheirDates(t, publishedInvention(t), 30, "2025-07-20", "2025-06-30", "2025-03-30", "2024-12-31",
			"2024-08-15")
	})
}

// screenersAreOfTheirDates compares the screener at some dates, of which the first has at
// least so many rows, with the operations that give the same values.
func screenersAreOfTheirDates(t *testing.T, options *clickhouse.Options, rows int, dates ...string) {
	memory, plain, _ := fromMemoryAndSQL(t, options)
	for i, date := range append(dates[:1], longtest.Sample(t, dates[1:], 1)...) {
		screen := memory.pastScreen(t, date, "")
		if i == 0 && len(screen.Data) < rows || len(screen.Data) != screen.Meta.Total ||
			screen.Meta.Count != screen.Meta.Total || screen.Meta.Past.Requested != date {
			t.Fatalf("%s: %d rows, %+v", date, len(screen.Data), screen.Meta)
		}

		// The rows are those of all-funds at the date, with the same values.
		funds := decode[allFunds](t, memory.get(t, "/api/all-funds?vehicle=all&date="+date))
		byID := map[string]map[string]any{}
		for _, row := range funds.Data {
			if row["vehicle"] != "investment_fund" && !strings.Contains(row["serieId"].(string), "-") {
				byID[row["serieId"].(string)] = row
			}
		}
		if len(byID) == 0 || len(byID) != len(screen.Data) || funds.Meta.Date != screen.Meta.AsOf ||
			funds.Meta.Complete != screen.Meta.Past.Complete {
			t.Fatalf("%s: %d rows, all-funds has %d; as of %s and %s", date, len(screen.Data), len(byID),
				screen.Meta.AsOf, funds.Meta.Date)
		}
		later := false
		for _, row := range screen.Data {
			want := byID[row.ID]
			for _, key := range []string{
				"agf", "fundName", "fundId", "run", "category", "fundFamily", "fundFamilyDisplay", "serie",
				"seriesContinuity", "currency", "tac", "tac_as_of_date",
				"investorClass", "price", "price_as_of_date", "dailyChange", "monthlyChange", "patrimony",
				"previousPatrimony", "monthlyPatrimony", "shareholders",
				"volatility_annualized_12m", "max_drawdown_36m", "risk_level", "risk_as_of_date",
			} {
				if diff := gocmp.Diff(want[key], row.Attributes[key]); diff != "" {
					t.Fatalf("%s, series %s, %s (-all-funds +screener):\n%s", date, row.ID, key, diff)
				}
			}
			later = later || want["classified_later"] == true
		}
		if later != screen.Meta.Past.ClassifiedLater || !gocmp.Equal(screen.Meta.TACKinds, funds.Meta.TACKinds) {
			t.Errorf("%s: classified_later is %t, all-funds says %t; or kinds of TAC differ", date,
				screen.Meta.Past.ClassifiedLater, later)
		}

		// Returns and ratings are those of the operation returns at the day.
		for i := 0; i < len(screen.Data); i += 1 + len(screen.Data)/25 {
			row := screen.Data[i]
			own := decode[struct {
				Data struct{ Attributes map[string]any }
			}](t, plain.get(t, "/api/real_assets/"+row.ID+"/returns?as_of_date="+screen.Meta.AsOf))
			spheres := own.Data.Attributes["cmf_spheres"]
			delete(own.Data.Attributes, "cmf_spheres")
			returns := row.Attributes["returns"].(map[string]any)
			returns["requested_as_of_date"] = screen.Meta.AsOf
			if diff := gocmp.Diff(any(own.Data.Attributes), any(returns)); diff != "" {
				t.Fatalf("%s, series %s, returns (-returns +screener):\n%s", date, row.ID, diff)
			}
			if diff := gocmp.Diff(spheres, row.Attributes["cmf_spheres"]); diff != "" {
				t.Fatalf("%s, series %s, rating (-returns +screener):\n%s", date, row.ID, diff)
			}
		}
	}
}

func TestThePastScreenerSelectsAndSortsByWhatWasKnownThen(t *testing.T) {
	t.Parallel()
	memory, plain, statements := fromMemoryAndSQL(t, demotest.Published(t))
	const date = "2025-07-20" // the cutoff, the only day of the demo on which the whole market is quoted
	all := memory.pastScreen(t, date, "")
	number := func(row any) *float64 {
		if n, is := row.(float64); is {
			return &n
		}
		return nil
	}
	text := func(of any) string { s, _ := of.(string); return s }
	for _, c := range []struct {
		query  string
		passes func(map[string]any) bool
		value  func(map[string]any) *float64
	}{
		{"category=EQUITY", func(a map[string]any) bool { return a["category"] == "equity" }, nil},
		{"currency=usd&sort=1y&order=desc", func(a map[string]any) bool { return a["currency"] == "DOLAR" },
			func(a map[string]any) *float64 { return number(at(a, "returns", "periods", "1y", "value")) }},
		{"currency=clp&sort=1m", func(a map[string]any) bool { return a["currency"] == "PESOS" },
			func(a map[string]any) *float64 { return number(at(a, "returns", "periods", "1m", "value")) }},
		{"sort=tac&order=desc", func(map[string]any) bool { return true }, func(a map[string]any) *float64 {
			return number(a["tac"])
		}},
		{"administrator=BANCO", func(a map[string]any) bool {
			return strings.Contains(folded(text(a["agf"])), "banco")
		}, nil},
		{"q=9809", func(a map[string]any) bool {
			return strings.Contains(text(a["run"])+folded(text(a["fundName"])), "9809")
		}, nil},
	} {
		var want []string
		values := map[string]*float64{}
		for _, row := range all.Data {
			if c.passes(row.Attributes) {
				want = append(want, row.ID)
				if c.value != nil {
					values[row.ID] = c.value(row.Attributes)
				}
			}
		}
		descending := strings.Contains(c.query, "order=desc")
		slices.SortFunc(want, func(a, b string) int {
			m, _ := strconv.Atoi(a)
			n, _ := strconv.Atoi(b)
			x, y := values[a], values[b]
			switch {
			case x == nil && y == nil:
				return cmp.Compare(m, n)
			case x == nil:
				return 1
			case y == nil:
				return -1
			case descending:
				return cmp.Or(cmp.Compare(*y, *x), cmp.Compare(m, n))
			}
			return cmp.Or(cmp.Compare(*x, *y), cmp.Compare(m, n))
		})
		got := memory.pastScreen(t, date, c.query)
		if diff := gocmp.Diff(want, got.ids()); diff != "" || len(want) == 0 || got.Meta.Total != len(want) ||
			got.Meta.Count != len(all.Data) {
			t.Errorf("%s: total %d of %d, want %d (-want +got):\n%s", c.query, got.Meta.Total, got.Meta.Count,
				len(want), diff)
		}
	}

	// A day that was read before is answered without ClickHouse, with the same bytes as by a
	// server that keeps nothing in memory.
	before := statements.Load()
	for _, target := range []string{
		"/api/screener?as_of_date=" + date + "&limit=3",
		"/api/screener?as_of_date=" + date + "&sort=tac&offset=2700&limit=200",
		"/api/screener?as_of_date=" + date + "&q=no+such+fund",
		"/api/compare?as_of_date=" + date + "&series=" + all.Data[7].ID + "," + all.Data[2].ID,
	} {
		sameReply(t, memory, plain, target)
	}
	if ran := statements.Load() - before; ran != 0 {
		t.Errorf("%d statements reached ClickHouse", ran)
	}
}

func TestComparingAtAPastDateComparesWhatTheScreenerShowsThen(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, _ := fromMemoryAndSQL(t, demotest.Published(t))
	screen := memory.pastScreen(t, "2025-05-31", "q=9809")
	ids := screen.ids()
	slices.Reverse(ids)
	ids = ids[:min(len(ids), 10)]
	for _, r := range []*rig{memory, plain} {
		got := decode[pastPage](t, r.get(t, "/api/compare?as_of_date=2025-05-31&series="+strings.Join(ids, ",")))
		if diff := gocmp.Diff(ids, got.ids()); diff != "" || len(ids) < 2 || got.Meta.Past == nil ||
			!got.Meta.Past.Bias {
			t.Fatalf("%s %+v", diff, got.Meta)
		}
		for i, row := range got.Data {
			if diff := gocmp.Diff(screen.Data[len(screen.Data)-1-i], row); diff != "" {
				t.Errorf("-screener +compare:\n%s", diff)
			}
		}
		// A series without a quota by then can't be compared, and neither can an unknown one.
		for _, target := range []string{"/api/compare?as_of_date=1999-12-31&series=" + ids[0],
			"/api/compare?as_of_date=2025-05-31&series=" + ids[0] + ",17"} {
			if got := serve(r.Handler(), r.request(http.MethodGet, target)); got.status != http.StatusNotFound {
				t.Errorf("%s: %d %s", target, got.status, got.body)
			}
		}
	}
}

func TestADateWithoutDataBeforeItHasAnEmptyScreener(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	got := decode[pastPage](t, r.get(t, "/api/screener?as_of_date=1999-12-31"))
	if len(got.Data) != 0 || got.Data == nil || got.Meta.Total != 0 || got.Meta.AsOf != "1999-12-31" ||
		got.Meta.Past.Complete || !got.Meta.Past.Bias {
		t.Errorf("%+v", got)
	}
}

// The row of the 25th counts until the 31st. A classification comes into force on the 30th.
func TestAnOlderRowIsInTheFamilyOfTheDateOnWhichItCounts(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Schema(t)
	plain := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	plain.facts(t)
	must(t, plain.conn.Exec(t.Context(),
		"ALTER TABLE market_day UPDATE restated = [('2026-07-30', 'Nueva', '', 'equity', true)] WHERE series_id = $1 "+
			"AND date = '2026-07-25' SETTINGS mutations_sync = 2", seriesDolar))
	plain.publish(t, 1)
	must(t, plain.Refresh(t.Context()))
	memory := rigOver(t, connect(t, options), unlimited)
	for date, want := range map[string][]any{
		"2026-07-25": {"2026-07-25", nil, nil, nil, false}, "2026-07-30": {"2026-07-25", "Nueva", nil, "equity", true},
		"2026-07-31": {"2026-07-25", "Nueva", nil, "equity", true},
	} {
		target := "/api/all-funds?vehicle=etf&date=" + date
		for _, r := range []*rig{memory, plain} {
			got := decode[allFunds](t, r.get(t, target)).Data
			if len(got) != 1 || !gocmp.Equal(want,
				[]any{got[0]["price_as_of_date"], got[0]["fundFamily"], got[0]["fundFamilyDisplay"], got[0]["category"],
					got[0]["classified_later"]}) {
				t.Errorf("%s: %v, want %v", date, got, want)
			}
		}
	}
}
