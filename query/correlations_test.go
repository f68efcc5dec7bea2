package query_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/model"
)

// correlated is what a page gets of the correlations of some series.
type correlated struct {
	Currency string
	Months   int
	First    *string `json:"first_month"`
	Last     *string `json:"last_month"`
	Own      []int   `json:"own_months"`
	Pairs    []struct {
		First, Second uint32
		Value         *float64
		Reason        *string
	}
}

// check compares correlations with those of returns by month end, in the order of ids.
func (got correlated) check(t *testing.T, about string, ids []uint32, returns map[uint32]map[model.Date]float64,
	until model.Date) (known int) {
	t.Helper()
	var common []model.Date
	for month := range returns[ids[0]] {
		if month.Compare(until) <= 0 && !slices.ContainsFunc(ids, func(id uint32) bool {
			_, there := returns[id][month]
			return !there
		}) {
			common = append(common, month)
		}
	}
	slices.SortFunc(common, model.Date.Compare)
	if got.Months != len(common) || len(common) > 0 && (*got.First != common[0].String() ||
		*got.Last != common[len(common)-1].String()) {
		t.Fatalf("%s: %d months, want %d", about, got.Months, len(common))
	}
	if len(got.Own) != len(ids) {
		t.Fatalf("%s: months of %d series", about, len(got.Own))
	}
	for i, id := range ids {
		own := 0
		for month := range returns[id] {
			if month.Compare(until) <= 0 {
				own++
			}
		}
		if got.Own[i] != own {
			t.Errorf("%s: %d has %d months, want %d", about, id, got.Own[i], own)
		}
	}
	if len(got.Pairs) != len(ids)*(len(ids)-1)/2 {
		t.Fatalf("%s: %d pairs", about, len(got.Pairs))
	}
	at := 0
	for i, first := range ids {
		for _, second := range ids[i+1:] {
			of := got.Pairs[at]
			at++
			if of.First != first || of.Second != second {
				t.Fatalf("%s: the pair %+v, want %d and %d", about, of, first, second)
			}
			if len(common) < 24 {
				if of.Value != nil || of.Reason == nil || *of.Reason != "under_24_months" {
					t.Errorf("%s: %+v of %d months", about, of, len(common))
				}
				continue
			}
			var n, x, y, xx, yy, xy float64
			for _, month := range common {
				a, b := returns[first][month], returns[second][month]
				n, x, y, xx, yy, xy = n+1, x+a, y+b, xx+a*a, yy+b*b, xy+a*b
			}
			want := (n*xy - x*y) / math.Sqrt((n*xx-x*x)*(n*yy-y*y))
			if of.Value == nil || math.Abs(*of.Value-want) > 1e-9 {
				t.Errorf("%s: %d and %d: %+v, want %v", about, first, second, of, want)
				continue
			}
			known++
		}
	}
	return known
}

func askCorrelations(t *testing.T, r *rig, ids []uint32, more ...string) correlated {
	t.Helper()
	texts := url.Values{"series": {strings.ReplaceAll(strings.Trim(fmt.Sprint(ids), "[]"), " ", ",")}}
	for i := 0; i < len(more); i += 2 {
		texts.Set(more[i], more[i+1])
	}
	return askPage[correlated](t, r, "/pages/correlations", texts)
}

func TestCorrelationsOfRealFilesEqualTheIndependentComputation(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	_, histories := realSeries(t, r)
	cutoff, err := model.ParseDate(lastDay)
	must(t, err)
	// The return of a month goes from the last quote of the month before to its own, both at most 7 days old.
	returns := map[uint32]map[model.Date]float64{}
	for id, h := range histories {
		returns[id] = map[model.Date]float64{}
		for end := monthEnd(h.days[0].day, 1); end.Compare(cutoff) <= 0; end = monthEnd(end, 1) {
			begin := monthEnd(end, -1)
			start, close := h.at(begin), h.at(end)
			broken := slices.ContainsFunc(h.breaks, func(b model.Date) bool {
				return b.Compare(begin) > 0 && b.Compare(end) <= 0
			})
			if start != nil && begin.DaysSince(start.day) <= 7 && end.DaysSince(close.day) <= 7 && !broken {
				returns[id][end] = *close.quota / *start.quota - 1
			}
		}
	}
	all := slices.Sorted(maps.Keys(histories))
	random, known := rand.New(rand.NewPCG(37, 11)), 0
	for i := range 30 {
		ids := slices.Clone(all)
		random.Shuffle(len(ids), func(a, b int) { ids[a], ids[b] = ids[b], ids[a] })
		ids = ids[:2+random.IntN(4)]
		until, asked := cutoff, []string(nil)
		if i%3 == 2 {
			until = cutoff.AddDays(-random.IntN(1400))
			asked = []string{"as_of_date", until.String()}
		}
		got := askCorrelations(t, r, ids, asked...)
		if got.Months > 0 && got.Currency != "PESOS" {
			t.Errorf("the currency is %q", got.Currency)
		}
		known += got.check(t, fmt.Sprint(ids, " up to ", until), ids, returns, until)
	}
	if known < 20 {
		t.Errorf("only %d correlations were compared", known)
	}
}

func TestCorrelationsOfTwoCurrenciesAreInPesos(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	random := rand.New(rand.NewPCG(37, 12))
	first := model.NewDate(2022, time.December, 31)
	var months, days, builds, rates []row
	dolar := map[model.Date]float64{}
	for n := range 32 {
		end := monthEnd(first, n)
		builds = append(builds, row{"date": end.String(), "build": 1})
		if n == 4 { // the dólar is missing, so that two months have no return in pesos
			continue
		}
		dolar[end] = math.Round(90000+1000*random.NormFloat64()) / 100
		rates = append(rates, row{"batch": 1, "date": end.String(), "fx": map[string]any{"date": end.AddDays(-2).String(),
			"value": fmt.Sprint(dolar[end])}})
	}
	const pesos, dollars, still, young, other = 901, 902, 903, 904, 905
	own, inPesos := map[uint32]map[model.Date]float64{}, map[uint32]map[model.Date]float64{}
	for id := uint32(pesos); id <= other; id++ {
		own[id], inPesos[id] = map[model.Date]float64{}, map[model.Date]float64{}
		currency := "PESOS"
		if id == dollars || id == other {
			currency = "DOLAR"
		}
		from := 0
		if id == young {
			from = 20
		}
		for n := from; n < 32; n++ {
			end := monthEnd(first, n)
			days = append(days, row{"series_id": id, "date": end.String(), "build": 1, "currency": currency, "quota": "100"})
			one := row{"batch": 1, "series_id": id, "month": end.String(), "quote_date": end.String()}
			if n > from && (id != other || n != 9) { // the month with a break
				growth := 1 + .03*random.NormFloat64()
				if id == still {
					growth = 1.004
				}
				one["growth"] = growth
				own[id][end], inPesos[id][end] = growth-1, growth-1
				if currency == "DOLAR" {
					begin := monthEnd(end, -1)
					if inPesos[id][end] = growth*dolar[end]/dolar[begin] - 1; dolar[end] == 0 || dolar[begin] == 0 {
						delete(inPesos[id], end)
					}
				}
			}
			months = append(months, one)
		}
	}
	// Another batch, and a month that is not over on the day.
	months = append(months, row{"batch": 2, "series_id": pesos, "month": "2023-03-31", "quote_date": "2023-03-31",
		"growth": 9})
	insert(t, r.conn, "series_month", months...)
	insert(t, r.conn, "series_day", days...)
	insert(t, r.conn, "series_day_version", builds...)
	insert(t, r.conn, "fx_uf_rate", rates...)
	end := monthEnd(first, 31)

	for name, c := range map[string]struct {
		ids      []uint32
		asked    []string
		currency string
		returns  map[uint32]map[model.Date]float64
		until    model.Date
		known    int
	}{
		"two in dollars":                     {[]uint32{other, dollars}, nil, "DOLAR", own, end, 1},
		"two in dollars, in pesos":           {[]uint32{dollars, other}, []string{"valuation", "clp"}, "PESOS", inPesos, end, 1},
		"pesos and dollars":                  {[]uint32{pesos, dollars, other}, nil, "PESOS", inPesos, end, 3},
		"a young one shortens the months":    {[]uint32{pesos, young, dollars}, nil, "PESOS", inPesos, end, 0},
		"a day before the 24th common month": {[]uint32{other, dollars}, []string{"as_of_date", "2025-01-30"}, "DOLAR", own, model.NewDate(2025, 1, 30), 0},
		"the 24th common month":              {[]uint32{other, dollars}, []string{"as_of_date", "2025-01-31"}, "DOLAR", own, model.NewDate(2025, 1, 31), 1},
	} {
		got := askCorrelations(t, r, c.ids, c.asked...)
		if got.Currency != c.currency {
			t.Errorf("%s: the currency is %q", name, got.Currency)
		}
		if known := got.check(t, name, c.ids, c.returns, c.until); known != c.known {
			t.Errorf("%s: %d correlations, want %d", name, known, c.known)
		}
	}
	got := askCorrelations(t, r, []uint32{pesos, still})
	if of := got.Pairs[0]; of.Value != nil || of.Reason == nil || *of.Reason != "no_variation" {
		t.Errorf("with a series that always returns the same: %+v", of)
	}
}
