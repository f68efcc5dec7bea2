package query_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/longtest"
	"cuota/model"

	"github.com/google/go-cmp/cmp"
)

type portfolio struct {
	Data []struct {
		Type       string
		Attributes map[string]any
	}
	Meta struct {
		RUN   string
		Month *string
		Units map[string]string
	}
}

// each returns an attribute of every item, in order.
func (p portfolio) each(attribute string) []any {
	values := []any{}
	for _, part := range p.Data {
		values = append(values, part.Attributes[attribute])
	}
	return values
}

const investmentPortfolio = "run;market;nemotecnico;rut_emisor;emisor;pais;tipo_instrumento;valorizacion;pct_activo\n"

func TestPortfolios(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := newFileMarket(t)
	july := []string{"8684;SELECCION LATAM;", "8011;VISION MONEY MARKET;", ";BR;ACE;", ";BR;DPC;"}
	m.ingest(t, model.Holdings, "naci_202506.txt", fixture(t, "naci_202506.txt"), 0)
	// other bytes, because equal bytes are the same file
	m.ingest(t, model.Holdings, "naci_202507.txt", fixture(t, "naci_202506.txt", "ESTRATEGIA MODERADA", "ESTRATEGIA"),
		1)
	m.ingest(t, model.Holdings, "extr_202507.txt", fixture(t, "extr_202506.txt", july...), 1)
	m.ingest(t, model.Holdings, "portfolio_202507.csv", investmentPortfolio+
		"9278;N;B;;;CL;ACC;10;1\n"+
		"9278;N;A;;;CL;ACC;10;1\n"+
		"9278;E;;;;;ETFA;5;\n"+
		"9278;N;Z;;;CL;CFI;;\n"+
		"9278;N;A;;;CL;ACC;20;1\n"+
		"9278;B;;;OFICINAS;CL;BR;1.000;90,0\n", 1) // the comma says that the point stands between thousands
	m.build(t)

	t.Run("as a table the positions have the same order, in full units and fractions", func(t *testing.T) {
		for _, target := range []string{"/api/funds/8011-K/cartera/holdings?market=all",
			"/api/funds/9278/cartera/holdings?market=N", "/api/funds/9278/cartera/holdings?month=1999-01"} {
			items := decode[portfolio](t, m.get(t, target)).Data
			for _, format := range readFormats {
				separator := "&"
				if !strings.Contains(target, "?") {
					separator = "?"
				}
				got := m.get(t, target+separator+"format="+format)
				wantStatus(t, got, http.StatusOK)
				rows := readTable(t, format, got.body, tableRows{{"value": 1.0, "weight": 1.0}})
				if len(rows) != len(items) {
					t.Fatalf("%s %s: %d rows, in JSON %d", target, format, len(rows), len(items))
				}
				for i, row := range rows {
					want := items[i].Attributes
					market := map[any]any{"N": "nacional", "E": "extranjera"}[row["market"]]
					if market != want["market"] || row["symbol"] != want["nemotecnico"] ||
						row["issuer"] != want["emisor"] || row["issuer_rut"] != want["rut_emisor"] ||
						row["country"] != want["pais"] || row["instrument_type"] != want["tipo_instrumento"] ||
						!same(row["value"], scaled(want["valorizacion"], 1000)) ||
						!same(row["weight"], scaled(want["pct_activo_fondo"], 0.01)) {
						t.Errorf("%s %s: row %d is %v, in JSON %v", target, format, i, row, want)
					}
				}
			}
		}
	})

	units := map[string]string{"valorizacion": "thousands of the fund's currency",
		"pct_activo_fondo": "percent of the fund's assets"}
	month := func(text string) *string { return &text }

	t.Run("the summary joins both markets by type, the heaviest first", func(t *testing.T) {
		got := decode[portfolio](t, m.get(t, "/api/funds/8011-K/cartera/resumen"))
		if diff := cmp.Diff([]map[string]any{
			{"tipo_instrumento": "DPC", "num_holdings": 3.0, "valorizacion_nacional": 234887.0,
				"valorizacion_extranjera": 32889.0, "pct_activo_fondo": 1.681},
			{"tipo_instrumento": "PE", "num_holdings": 1.0, "valorizacion_nacional": 98775.0,
				"valorizacion_extranjera": 0.0, "pct_activo_fondo": 0.087},
		}, []map[string]any{got.Data[0].Attributes, got.Data[1].Attributes}); diff != "" {
			t.Error(diff)
		}
		if len(got.Data) != 2 || got.Data[0].Type != "cartera_resumen" || got.Meta.RUN != "8011" {
			t.Errorf("%+v", got)
		}
		if diff := cmp.Diff(month("2025-07"), got.Meta.Month); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(units, got.Meta.Units); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("holdings come as the source has them, national issuers by RUT", func(t *testing.T) {
		got := decode[portfolio](t, m.get(t, "/api/funds/8011/cartera/holdings"))
		if diff := cmp.Diff([]any{1.474, 0.15, 0.087, 0.057}, got.each("pct_activo_fondo")); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff([]map[string]any{
			{"market": "extranjera", "nemotecnico": "SUZB3 BZ Equity", "emisor": "SUZANO PAPEL E CELULOSE SA",
				"rut_emisor": nil, "pais": "BR",
				"tipo_instrumento": "DPC", "valorizacion": 32889.0, "pct_activo_fondo": 1.474},
			{"market": "nacional", "nemotecnico": "FNEST-070218", "emisor": nil, "rut_emisor": "97030000-7",
				"pais":             "CL",
				"tipo_instrumento": "DPC", "valorizacion": 169918.0, "pct_activo_fondo": 0.15},
		}, []map[string]any{got.Data[0].Attributes, got.Data[1].Attributes}); diff != "" {
			t.Error(diff)
		}
		if got.Data[0].Type != "holding" || got.Meta.RUN != "8011" || !cmp.Equal(got.Meta.Units, units) {
			t.Errorf("%+v", got)
		}
	})

	t.Run("a market keeps its positions, and the month stays the portfolio's", func(t *testing.T) {
		for market, want := range map[string][]any{
			"all": {"extranjera", "nacional", "nacional", "nacional"}, "N": {"nacional", "nacional", "nacional"},
			"E": {"extranjera"},
		} {
			got := decode[portfolio](t, m.get(t, "/api/funds/8011/cartera/holdings?market="+market))
			if !cmp.Equal(want, got.each("market")) || *got.Meta.Month != "2025-07" {
				t.Errorf("%s: %+v", market, got)
			}
		}
		none := decode[portfolio](t, m.get(t, "/api/funds/8011/cartera/holdings?market=E&month=2025-06"))
		if len(none.Data) != 0 || none.Meta.Month == nil || *none.Meta.Month != "2025-06" {
			t.Errorf("%+v", none)
		}
	})

	t.Run("equal shares go by valuation, then nemotécnico; what has no figure comes last, and other markets stay out",
		func(t *testing.T) {
			got := decode[portfolio](t, m.get(t, "/api/funds/9278-9/cartera/holdings"))
			if diff := cmp.Diff([]any{"A", "A", "B", nil, "Z"}, got.each("nemotecnico")); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]any{20.0, 10.0, 10.0, 5.0, nil}, got.each("valorizacion")); diff != "" {
				t.Error(diff)
			}
			groups := decode[portfolio](t, m.get(t, "/api/funds/9278/cartera/resumen"))
			if diff := cmp.Diff([]any{"ACC", "ETFA", "CFI"}, groups.each("tipo_instrumento")); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]any{3.0, nil, nil}, groups.each("pct_activo_fondo")); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]any{40.0, 0.0, 0.0}, groups.each("valorizacion_nacional")); diff != "" {
				t.Error(diff)
			}
		})

	t.Run("a month that is asked for is answered, one without a portfolio is empty", func(t *testing.T) {
		for target, want := range map[string]struct {
			parts int
			month *string
		}{
			"8011/cartera/holdings?month=2025-06": {3, month("2025-06")},
			"8011/cartera/holdings?month=2025-05": {0, nil},
			"8011/cartera/holdings?month=0001-01": {0, nil},
			"8011/cartera/resumen?month=9999-12":  {0, nil},
			"8012/cartera/holdings":               {0, nil},
			"8012-8/cartera/resumen":              {0, nil},
			"99999999/cartera/resumen":            {0, nil},
		} {
			got := decode[portfolio](t, m.get(t, "/api/funds/"+target))
			if len(got.Data) != want.parts || !cmp.Equal(got.Meta.Month, want.month) || got.Data == nil {
				t.Errorf("%s: %+v", target, got)
			}
		}
	})

	t.Run("the latest month is one that is over", func(t *testing.T) {
		defer m.setClock(*m.clock.Load())
		for day, want := range map[int]*string{29: nil, 30: month("2025-06"), 31: month("2025-06"),
			60: month("2025-06"), 61: month("2025-07")} {
			m.setClock(time.Date(2025, 6, day, 15, 0, 0, 0, time.UTC))
			if got := decode[portfolio](t, m.get(t, "/api/funds/8011/cartera/resumen")); !cmp.Equal(got.Meta.Month,
				want) {
				t.Errorf("June %d: %v", day, got.Meta.Month)
			}
		}
	})

	t.Run("a newer file replaces the portfolio as a whole, once a batch has it", func(t *testing.T) {
		newer := fixture(t, "naci_202506.txt")
		lines := strings.SplitAfter(newer, "\n")
		m.ingest(t, model.Holdings, "naci_202507.txt", lines[0]+strings.Replace(lines[1], ";98775;", ";98776;", 1), 5)
		m.market.Build(t)
		if before := decode[portfolio](t, m.get(t, "/api/funds/8011/cartera/holdings?market=N")); len(
			before.Data) != 3 {
			t.Errorf("the batch at hand changed: %+v", before)
		}
		must(t, m.Refresh(t.Context()))
		after := decode[portfolio](t, m.get(t, "/api/funds/8011/cartera/holdings"))
		if diff := cmp.Diff([]any{32889.0, 98776.0}, after.each("valorizacion")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPortfolioParameters(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	wantViolations(t, r, []violationCase{
		{"/api/funds/8011/cartera/resumen?month=2025-06", nil},
		{"/api/funds/8.011-k/cartera/holdings?market=all", nil},
		{"/api/funds/%208011%20/cartera/holdings", nil},
		{"/api/funds/8011-1/cartera/resumen", []string{"path.run:run_check_digit"}},
		{"/api/funds/8011-KK/cartera/holdings", []string{"path.run:run_check_digit"}},
		{"/api/funds/8011-/cartera/holdings", []string{"path.run:run_check_digit"}},
		{"/api/funds//cartera/resumen", []string{"path.run:run_parsing"}},
		{"/api/funds/0/cartera/resumen", []string{"path.run:run_parsing"}},
		{"/api/funds/100000000/cartera/resumen", []string{"path.run:run_parsing"}},
		{"/api/funds/" + strings.Repeat("0", 40) + "8011/cartera/resumen", []string{"path.run:run_parsing"}},
		{"/api/funds/8011%27%20OR%201=1/cartera/resumen", []string{"path.run:run_parsing"}},
		{"/api/funds/%00%FF/cartera/holdings?month=x&market=e",
			[]string{"path.run:run_parsing", "query.month:month_parsing", "query.market:literal_error"}},
		{"/api/funds/8011/cartera/holdings?market=B", []string{"query.market:literal_error"}},
		{"/api/funds/8011/cartera/holdings?market=", []string{"query.market:literal_error"}},
		{"/api/funds/8011/cartera/holdings?market=N&market=E", []string{"query.market:repeated"}},
		{"/api/funds/8011/cartera/resumen?month=2025-13", []string{"query.month:month_parsing"}},
		{"/api/funds/8011/cartera/resumen?month=2025-6", []string{"query.month:month_parsing"}},
		{"/api/funds/8011/cartera/resumen?month=2025-06-30", []string{"query.month:month_parsing"}},
		{"/api/funds/8011/cartera/resumen?month=0000-01", []string{"query.month:month_parsing"}},
		{"/api/funds/8011/cartera/resumen?month=", []string{"query.month:month_parsing"}},
		{"/api/funds/8011/cartera/resumen?month=2025-06%00", []string{"query.month:month_parsing"}},
	})
}
