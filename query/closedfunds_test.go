package query_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	saved "cuota/query/portfolio"
	"cuota/query/savings"
)

// closedPage is what a page gets of closed series.
type closedPage struct {
	Date  string
	Total int
	Years []int
	Data  []struct {
		ID, RUN, Serie, Reason string
		Last                   *string `json:"last_date"`
		Ended                  *string `json:"ended_on"`
		FundEnded              *string `json:"fund_ended"`
		OtherSerie             string  `json:"other_serie"`
		Equity                 *float64
	}
}

// The list is compared with what the rows of series, the register and the exchanges of an invented market say, one by
// one, on past days and at the cutoff.
func TestWhatHasClosedByADayFollowsFromRowsEndsAndExchanges(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "market")
	end := model.NewDate(2025, time.July, 20)
	_, err := synth.Write(t.Context(), dir,
		synth.Config{Series: 120, Days: 420, Seed: 11, End: end, Bad: synth.DefaultBad}, nil)
	must(t, err)
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	m.Build(t)
	memory, plain, _ := fromMemoryAndSQL(t, m.Options)

	type day struct {
		Series uint32    `ch:"series_id"`
		Date   time.Time `ch:"date"`
		Quoted bool      `ch:"quoted"`
		Equity *float64  `ch:"equity"`
	}
	var days []day
	must(t, plain.conn.Select(t.Context(), &days, `SELECT series_id, date, quota IS NOT NULL AS quoted,
		toFloat64(equity) AS equity
		FROM current_series_day ORDER BY series_id, date`))
	rows := map[uint32][]day{}
	for _, d := range days {
		rows[d.Series] = append(rows[d.Series], d)
	}
	type named struct {
		ID   uint32 `ch:"id"`
		RUN  string `ch:"run"`
		Name string `ch:"serie"`
	}
	var series []named
	must(t, plain.conn.Select(t.Context(), &series, `SELECT series_id AS id, run, serie FROM current_series`))
	ended, quotedFunds := map[string]time.Time{}, map[string]bool{}
	register, err := os.ReadFile(filepath.Join(dir, registerOf(t, dir)))
	must(t, err)
	for _, line := range strings.Split(string(register), "\n")[1:] {
		if columns := strings.Split(line, ";"); len(columns) > 9 && columns[9] != "" {
			at, err := time.Parse("02/01/2006", columns[9])
			must(t, err)
			run, err := model.ParseRUN(columns[2])
			must(t, err)
			ended[run.String()] = at
		}
	}
	type exchange struct {
		Origin uint32    `ch:"origin_id"`
		On     time.Time `ch:"effective_date"`
	}
	var exchanges []exchange
	must(t, plain.conn.Select(t.Context(), &exchanges,
		`SELECT origin_id, effective_date FROM batch_exchange(batch = (SELECT max(batch) FROM batch))`))

	random, reasons, current := rand.New(rand.NewPCG(37, 10)), map[string]int{}, 0
	for i := range longtest.Times(12) {
		asked := url.Values{"limit": {"1000"}}
		if i > 0 {
			asked.Set("date", end.AddDays(-1-random.IntN(380)).String())
		}
		list := askPage[closedPage](t, plain, "/pages/closed", asked)
		on, err := time.Parse(time.DateOnly, list.Date)
		must(t, err)
		want := map[string]string{}
		clear(quotedFunds)
		for _, of := range series {
			var newest, quoted *day
			for _, d := range rows[of.ID] {
				if !d.Date.After(on) {
					newest = &d
					if d.Quoted {
						quoted = &d
					}
				}
			}
			if quoted == nil {
				continue
			}
			quotedFunds[of.RUN] = true
			reason := ""
			for _, e := range exchanges {
				if e.Origin == of.ID && e.On.After(newest.Date) && !e.On.After(on) {
					reason = "exchanged"
				}
			}
			gone, is := ended[of.RUN]
			switch {
			case reason != "":
			case is && !gone.After(on):
				reason = "register"
			case on.Sub(newest.Date) > 7*24*time.Hour && quoted.Equity != nil && *quoted.Equity == 0:
				reason = "redeemed"
			case on.Sub(newest.Date) > 7*24*time.Hour:
				reason = "silent"
			default:
				current++
				continue
			}
			want[of.RUN+" "+fmt.Sprint(of.ID)] = fmt.Sprint(reason, " ",
				quoted.Date.Format(time.DateOnly), " ", *quoted.Equity)
		}
		for run, gone := range ended {
			if !gone.After(on) && !quotedFunds[run] {
				want[run+" 0"] = "register none"
			}
		}
		got := map[string]string{}
		ids := map[string]uint32{}
		for _, label := range series {
			ids[label.RUN+" "+label.Name] = label.ID
		}
		for _, of := range list.Data {
			reasons[of.Reason]++
			if of.Serie == "" {
				got[of.RUN+" 0"] = of.Reason + " none"
				continue
			}
			got[of.RUN+" "+fmt.Sprint(ids[of.RUN+" "+of.Serie])] = fmt.Sprint(of.Reason, " ", *of.Last, " ", *of.Equity)
			if (of.Reason == "exchanged") != (of.OtherSerie != "") {
				t.Errorf("%+v", of)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("on %s: %s", list.Date, diff)
		}
		if list.Total != len(got) {
			t.Errorf("the total is %d of %d", list.Total, len(got))
		}
		samePart(t, memory, plain, "/pages/closed", asked)
		// Filters and pages together have the same rows.
		year := list.Years[random.IntN(len(list.Years))]
		asked.Set("year", fmt.Sprint(year))
		of := askPage[closedPage](t, memory, "/pages/closed", asked)
		n := 0
		for _, row := range list.Data {
			closed := row.Last
			if closed == nil {
				closed = row.FundEnded
			}
			if strings.HasPrefix(*closed, fmt.Sprint(year)) {
				n++
			}
		}
		if of.Total != n || n == 0 {
			t.Errorf("%d closed in %d, want %d", of.Total, year, n)
		}
		asked.Set("limit", "1")
		asked.Set("offset", fmt.Sprint(of.Total-1))
		if one := askPage[closedPage](t, memory, "/pages/closed", asked); len(one.Data) != 1 ||
			!cmp.Equal(one.Data[0], of.Data[of.Total-1]) {
			t.Errorf("the last page is %+v", one.Data)
		}
	}
	if reasons["exchanged"] == 0 || reasons["register"] == 0 || reasons["redeemed"]+reasons["silent"] == 0 ||
		current == 0 {
		t.Errorf("too little was tried: %v, %d current", reasons, current)
	}
	plain.valuesNoExchangedQuotas(t, askPage[closedPage](t, plain, "/pages/closed", url.Values{"limit": {"1000"}}))
}

// valuesNoExchangedQuotas buys each closed series on its last day, and wants a value only of those without exchange.
func (r *rig) valuesNoExchangedQuotas(t *testing.T, closed closedPage) {
	t.Helper()
	exchanged, valued := 0, 0
	for _, of := range closed.Data {
		if of.Last == nil {
			continue
		}
		value := func(asOf string) saved.Holding {
			t.Helper()
			got := r.sendPortfolio(t, "application/json", fmt.Sprintf(`{"as_of_date": %q, "movements":
				[{"series": %q, "date": %q, "kind": "buy", "quotas": 10}]}`, asOf, of.ID, *of.Last))
			wantStatus(t, got, http.StatusOK)
			reply := decode[saved.Reply](t, got)
			if len(reply.Data.Holdings) != 1 {
				t.Fatalf("%+v by %s: %+v", of, asOf, reply.Data.Movements)
			}
			return reply.Data.Holdings[0]
		}
		switch h := value(closed.Date); {
		case of.Reason != "exchanged":
			valued++
			if h.ValueIn.Value == nil {
				t.Errorf("%+v has no value: %s", of, *h.ValueIn.Reason)
			}
		default:
			exchanged++
			for _, figure := range []savings.Figure{h.Value, h.ValueIn, h.Gain, h.MoneyWeighted, h.TimeWeighted,
				h.UF.EndValue} {
				if figure.Value != nil || *figure.Reason != "exchanged" {
					t.Errorf("%+v: %+v after the exchange", of, figure)
				}
			}
			ended, err := model.ParseDate(*of.Ended)
			must(t, err)
			if h := value(ended.AddDays(-1).String()); h.ValueIn.Value == nil {
				t.Errorf("%+v has no value before the exchange: %s", of, *h.ValueIn.Reason)
			}
		}
		if exchanged+valued == 30 && exchanged > 0 {
			break
		}
	}
	if exchanged == 0 || valued == 0 {
		t.Errorf("%d exchanged and %d other series were valued", exchanged, valued)
	}
}

// registerOf returns the name of the register of mutual funds of a market.
func registerOf(t *testing.T, dir string) string {
	t.Helper()
	for _, source := range table(t, filepath.Join(dir, "sources.csv")) {
		if source["dataset"] == string(model.Register) {
			return source["file"]
		}
	}
	t.Fatal("the market has no register")
	return ""
}
