package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// valuedReturn is one series and window of batch_valued_return or batch_total_return, as the
// oracle writes it.
type valuedReturn struct {
	period
	start, end oracle.Endpoint
	total      totalParts
}

// totalParts are the columns that only total returns have.
type totalParts struct {
	coverage           []oracle.Coverage
	distributions      []oracle.Distribution
	exchanges          []string
	distributed, swaps string
}

const commonColumns = `run, serie, window, value, currency, reason, target_start, target_end, effective_start, effective_end,
	start_quota, start_currency, start_fx_date, start_fx, start_uf_date, start_uf,
	end_quota, end_currency, end_fx_date, end_fx, end_uf_date, end_uf`

// adjusted reads all series of the given funds from batch_valued_return.
func adjusted(t *testing.T, conn driver.Conn, batch uint64, asOf, valuation string) map[string]valuedReturn {
	t.Helper()
	return valuedReturns(t, conn, `SELECT `+commonColumns+`, '[]', '[]', '[]', '', ''
		FROM batch_valued_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true, valuation = {valuation:String}) AS returns
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = returns.series_id
		WHERE run IN (9809, 9810)`, batch, asOf, valuation)
}

func valuedReturns(t *testing.T, conn driver.Conn, query string, batch uint64,
	asOf, valuation string) map[string]valuedReturn {
	t.Helper()
	rows, err := conn.Query(clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": fmt.Sprint(batch), "as_of": asOf, "valuation": valuation,
	})), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	found := map[string]valuedReturn{}
	for rows.Next() {
		var run uint32
		var serie, window, coverage, distributions, exchanges string
		var value *float64
		var currency, reason *string
		var targetStart, targetEnd time.Time
		var effectiveStart, effectiveEnd *time.Time
		var ends [2]struct {
			quota         *float64
			currency      *string
			fxDay, ufDay  *time.Time
			fx, uf        *decimal.Decimal
			effectiveDate **time.Time
		}
		s, e := &ends[0], &ends[1]
		s.effectiveDate, e.effectiveDate = &effectiveStart, &effectiveEnd
		var r valuedReturn
		if err := rows.Scan(&run, &serie, &window, &value, &currency, &reason, &targetStart, &targetEnd,
			&effectiveStart, &effectiveEnd,
			&s.quota, &s.currency, &s.fxDay, &s.fx, &s.ufDay, &s.uf, &e.quota, &e.currency, &e.fxDay, &e.fx, &e.ufDay,
			&e.uf,
			&coverage, &distributions, &exchanges, &r.total.distributed, &r.total.swaps); err != nil {
			t.Fatal(err)
		}
		r.period = period{
			currency: text(currency), reason: text(reason), targetStart: targetStart.Format(time.DateOnly),
			targetEnd: targetEnd.Format(time.DateOnly), effectiveStart: day(effectiveStart),
			effectiveEnd: day(effectiveEnd),
		}
		if value != nil {
			r.value, r.known = *value, true
		}
		for i, into := range []*oracle.Endpoint{&r.start, &r.end} {
			into.Date, into.Currency = day(*ends[i].effectiveDate), text(ends[i].currency)
			if ends[i].quota != nil {
				into.Quota = *ends[i].quota
			}
			if ends[i].fx != nil {
				into.FX = &oracle.Rate{Date: day(ends[i].fxDay), Value: ends[i].fx.String()}
			}
			if ends[i].uf != nil {
				into.UF = &oracle.Rate{Date: day(ends[i].ufDay), Value: ends[i].uf.String()}
			}
		}
		r.total.read(t, coverage, distributions, exchanges)
		found[fmt.Sprintf("%d:%s:%s", run, serie, window)] = r
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// read decodes the lists from JSON, which is also their form in the API.
func (p *totalParts) read(t *testing.T, coverage, distributions, exchanges string) {
	t.Helper()
	var stretches []struct {
		RUN       string   `json:"run"`
		Serie     string   `json:"serie"`
		Start     string   `json:"start_date"`
		End       string   `json:"end_date"`
		Days      int      `json:"calendar_days"`
		Documents []string `json:"source_sha256"`
	}
	var paid []struct {
		RUN    string `json:"run"`
		Serie  string `json:"serie"`
		Date   string `json:"date"`
		Factor string `json:"factor"`
		URL    string `json:"source_url"`
		SHA256 string `json:"source_sha256"`
	}
	for source, into := range map[string]any{coverage: &stretches, distributions: &paid, exchanges: &p.exchanges} {
		if source == "[]" {
			continue
		}
		if err := json.Unmarshal([]byte(source), into); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
	}
	for _, s := range stretches {
		p.coverage = append(p.coverage, oracle.Coverage{Series: seriesOf(t, s.RUN, s.Serie), Start: s.Start, End: s.End,
			Days: s.Days, Documents: s.Documents})
	}
	for _, d := range paid {
		if d.URL == "" || len(d.SHA256) != 64 {
			t.Errorf("a distribution without evidence: %+v", d)
		}
		p.distributions = append(p.distributions,
			oracle.Distribution{Series: seriesOf(t, d.RUN, d.Serie), Date: d.Date, Factor: d.Factor})
	}
}

func seriesOf(t *testing.T, rol, serie string) oracle.Series {
	t.Helper()
	run, err := oracle.ParseRUN(rol)
	if err != nil {
		t.Fatal(err)
	}
	return oracle.Series{Run: run, Name: serie}
}

// compareAdjusted compares batch_valued_return with the oracle, and counts the reasons.
func compareAdjusted(t *testing.T, conn driver.Conn, market *oracle.Market, batch uint64, asOf, valuation string,
	reasons map[string]int) {
	t.Helper()
	got := adjusted(t, conn, batch, asOf, valuation)
	compareValued(t, got, market, asOf, reasons, func(s oracle.Series, window string) oracle.Total {
		return oracle.Total{Adjusted: market.AdjustedPeriod(s.Run, s.Name, date(t, asOf), window, valuation)}
	})
}

// compareValued checks that got has every series with a quote by the date, with all eight
// windows, and nothing else.
func compareValued(t *testing.T, got map[string]valuedReturn, market *oracle.Market, asOf string,
	reasons map[string]int,
	expected func(oracle.Series, string) oracle.Total) {
	t.Helper()
	compared := 0
	for _, series := range market.Series() {
		if _, quoted := market.LatestDay(series.Run, series.Name, date(t, asOf)); !quoted {
			continue
		}
		for _, window := range model.Windows {
			key := fmt.Sprintf("%d:%s:%s", series.Run, series.Name, window)
			actual, found := got[key]
			if !found {
				t.Errorf("%s at %s is missing", key, asOf)
				continue
			}
			want := expected(series, window)
			samePeriod(t, key+" at "+asOf, actual.period, want.Period)
			sameEnd(t, key+" at "+asOf+", start", actual.start, want.Start)
			sameEnd(t, key+" at "+asOf+", end", actual.end, want.End)
			parts := totalParts{want.Coverage, want.Distributions, want.Exchanges, want.DistributionMultiplier,
				want.ExchangeMultiplier}
			if diff := cmp.Diff(parts, actual.total, cmp.AllowUnexported(totalParts{})); diff != "" {
				t.Errorf("%s at %s: (-oracle, +view)\n%s", key, asOf, diff)
			}
			reasons[actual.reason]++
			compared++
		}
	}
	if compared != len(got) || compared == 0 {
		t.Errorf("compared %d windows of %d", compared, len(got))
	}
}

// sameEnd compares the inputs of both ends. A void quote has the value 0 in both.
func sameEnd(t *testing.T, key string, got, want oracle.Endpoint) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: (-oracle, +view)\n%s", key, diff)
	}
}
