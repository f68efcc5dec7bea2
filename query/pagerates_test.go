package query_test

import (
	"encoding/json"
	"math"
	"net/url"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query"
)

// The lines that a reader adds to a chart, and the growth of a series in pesos.
func TestRatesOfAChartAreKnownOnTheDaysOnWhichQuotesAreConverted(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Schema(t), query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	r.facts(t)
	r.publish(t, 1)
	must(t, r.Refresh(t.Context()))
	rates := func(date, uf, published, dollar string) row {
		of := row{"batch": 1, "date": date,
			"uf": map[string]any{"date": nil, "value": nil, "sha256": nil, "revision": nil},
			"fx": map[string]any{"date": published, "value": dollar, "sha256": sha('d'), "revision": nil}}
		if uf != "" {
			of["uf"] = map[string]any{"date": date, "value": uf, "sha256": sha('u'), "revision": nil}
		}
		return of
	}
	insert(t, r.conn, "fx_uf_rate", rates("2026-03-01", "100", "2026-02-27", "900"),
		rates("2026-03-06", "", "2026-02-27", "900"), rates("2026-03-07", "101.5", "2026-02-27", "900"),
		rates("2026-03-08", "102", "2026-03-08", "0"))
	ask := func(path string, reply any, texts url.Values) error {
		body, err := foundBy(t, r.PageBatch(), path, texts)
		if err != nil {
			return err
		}
		return json.Unmarshal(body, reply)
	}
	type level struct {
		Date              model.Date
		UF, Dollar, Fixed *float64
	}
	var got struct{ Data []level }
	must(t, ask("/pages/rates", &got, url.Values{"from_date": {"2026-02-28"}, "to_date": {"2026-03-08"}}))
	known := map[string][2]float64{"2026-03-01": {100, 900}, "2026-03-06": {0, 900}, "2026-03-07": {101.5, 0},
		"2026-03-08": {102, 0}}
	if len(got.Data) != 9 {
		t.Fatalf("%d days: %+v", len(got.Data), got.Data)
	}
	for i, of := range got.Data {
		if want := model.NewDate(2026, 2, 28).AddDays(i); of.Date != want || of.Fixed != nil {
			t.Errorf("day %d is %+v, want %s", i, of, want)
		}
		for j, value := range []*float64{of.UF, of.Dollar} {
			want := known[of.Date.String()][j]
			if (value == nil) != (want == 0) || value != nil && *value != want {
				t.Errorf("%s: rate %d is %v, want %v", of.Date, j, value, want)
			}
		}
	}

	// In dollars a rate is known on the days on which the dollar is.
	must(t, ask("/pages/rates", &got, url.Values{"from_date": {"2026-02-28"}, "to_date": {"2026-03-08"},
		"currency": {"DOLAR"}}))
	for _, of := range got.Data {
		rates := known[of.Date.String()]
		if (of.Dollar != nil) != (rates[1] > 0) || of.Dollar != nil && *of.Dollar != 1 ||
			(of.UF != nil) != (rates[0]*rates[1] > 0) || of.UF != nil && math.Abs(*of.UF-rates[0]/rates[1]) > 1e-15 {
			t.Errorf("in dollars: %+v, want %v", of, rates)
		}
	}

	// A fixed rate: exact on anniversaries, and growing evenly between them.
	for _, first := range []model.Date{model.NewDate(2024, 2, 29), model.NewDate(2021, 7, 1)} {
		must(t, ask("/pages/rates", &got, url.Values{"from_date": {first.String()},
			"to_date": {first.AddDays(1500).String()}, "rate": {"5.5"}}))
		byDay, before := map[model.Date]float64{}, 0.0
		for _, of := range got.Data {
			byDay[of.Date] = *of.Fixed
			if *of.Fixed <= before {
				t.Errorf("from %s: %s is %v after %v", first, of.Date, *of.Fixed, before)
			}
			before = *of.Fixed
		}
		for years := range 5 {
			year, month, day := first.Time().Date()
			anniversary := model.NewDate(year+years, month, min(day, 28))
			if first.Time().Day() == 29 && years%4 == 0 {
				anniversary = model.NewDate(year+years, month, day)
			}
			if want := math.Pow(1.055, float64(years)); math.Abs(byDay[anniversary]-want) > 1e-12 {
				t.Errorf("after %d years from %s it is %v, want %v", years, first, byDay[anniversary], want)
			}
		}
	}
	for _, rate := range []string{"x", "-100", "1001", "NaN"} {
		if err := ask("/pages/rates", &got, url.Values{"from_date": {"2026-02-28"}, "to_date": {"2026-03-08"},
			"rate": {rate}}); err == nil {
			t.Errorf("the rate %s is taken", rate)
		}
	}

	// A series in dollars that stays at its quota grows in pesos as the dollar does.
	insert(t, r.conn, "fx_uf_rate", rates("2026-04-01", "104", "2026-04-01", "900"),
		rates("2026-04-02", "104", "2026-04-02", "990"), rates("2026-04-03", "", "2026-03-20", "990"))
	insert(t, r.conn, "series_day_version", row{"date": "2026-04-01", "build": 1},
		row{"date": "2026-04-02", "build": 1}, row{"date": "2026-04-03", "build": 1})
	for _, date := range []string{"2026-04-01", "2026-04-02", "2026-04-03"} {
		insert(t, r.conn, "series_day", row{"series_id": seriesYoung, "date": date, "build": 1, "quota": "2",
			"currency": "DOLAR"}, row{"series_id": seriesOpen, "date": date, "build": 1, "quota": "3",
			"currency": "PESOS"})
	}
	var grown struct {
		Data []struct {
			Date   model.Date
			Quota  float64
			Growth *float64
		}
	}
	span := func(id, valuation string) url.Values {
		return url.Values{"asset_id": {id}, "from_date": {"2026-04-01"}, "to_date": {"2026-04-03"},
			"valuation": {valuation}}
	}
	must(t, ask("/pages/series/{asset_id}/growth", &grown, span("203", "clp")))
	if len(grown.Data) != 3 || *grown.Data[0].Growth != 0 || math.Abs(*grown.Data[1].Growth-.1) > 1e-12 ||
		grown.Data[2].Growth != nil || grown.Data[2].Quota != 2 { // the last dólar is too old
		t.Errorf("in pesos: %+v", grown.Data)
	}
	must(t, ask("/pages/series/{asset_id}/growth", &grown, span("201", "clp")))
	if len(grown.Data) != 3 || grown.Data[2].Growth == nil { // pesos need no rate
		t.Errorf("a series in pesos: %+v", grown.Data)
	}
	must(t, ask("/pages/series/{asset_id}/growth", &grown, span("201", "real_uf")))
	if len(grown.Data) != 3 || grown.Data[1].Growth == nil || grown.Data[2].Growth != nil {
		t.Errorf("beyond the UF: %+v", grown.Data)
	}
	must(t, ask("/pages/series/{asset_id}/growth", &grown, span("201", "usd")))
	if len(grown.Data) != 3 || *grown.Data[0].Growth != 0 || math.Abs(*grown.Data[1].Growth-(900./990-1)) > 1e-12 ||
		grown.Data[2].Growth != nil || grown.Data[2].Quota != 3 {
		t.Errorf("a series in pesos, in dollars: %+v", grown.Data)
	}
	must(t, ask("/pages/series/{asset_id}/growth", &grown, span("203", "usd")))
	if len(grown.Data) != 3 || grown.Data[2].Growth == nil || *grown.Data[2].Growth != 0 { // which needs no rate
		t.Errorf("a series in dollars, in dollars: %+v", grown.Data)
	}
}
