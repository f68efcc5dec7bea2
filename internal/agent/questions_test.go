package agent_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/oracle/backtestoracle"
)

// question is a golden question: what a person asks, the call that answers it, and the known answer.
type question struct {
	Question  string         `json:"question"`
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	// Want has values of the answer by their path, as in answers.0.figures.0.value.
	Want map[string]any `json:"want,omitempty"`
	// Teaches are texts of the error with which the call is answered.
	Teaches []string `json:"teaches,omitempty"`
}

// windowTexts are the windows in words, Spanish and English, as people write them.
var windowTexts = map[string][2]string{
	"1m": {"un mes", "one month"}, "3m": {"tres meses", "three months"}, "6m": {"seis meses", "six months"},
	"1y": {"un año", "one year"}, "ytd": {"en el año", "year to date"}, "3y_ann": {"tres años", "three years"},
	"5y_ann": {"cinco años", "five years"}, "last_closed_month": {"último mes cerrado", "last closed month"},
}

// questions makes the golden questions of what the files say.
func questions(t *testing.T, f *files) (all []question) {
	t.Helper()
	return slices.Concat(f.aboutReturns(t), f.aboutCosts(), f.aboutSizes(t), f.aboutRisk(t), f.aboutRankings(t),
		f.aboutManagers(), f.aboutNames(t), f.aboutMistakes(), f.inSQL(), f.aboutBacktests(t))
}

// told chooses the language of a question by its number: the first text is Spanish.
func told(i int, es, en string, values ...any) string {
	return fmt.Sprintf([]string{es, en}[i%2], values...)
}

// wantReturn adds a return or its reason to what is wanted.
func wantReturn(want map[string]any, at string, p oracle.Period) {
	if p.Value == nil {
		want[at+".value"], want[at+".reason"] = nil, p.Reason
		return
	}
	want[at+".value"], want[at+".from"], want[at+".date"] = *p.Value, p.EffectiveStart, p.EffectiveEnd
}

func (f *files) aboutReturns(t *testing.T) (all []question) {
	series := []listing{f.of(t, 9809, "B"), f.of(t, 9810, "B"), f.of(t, 9809, "APV"), f.of(t, 9810, "FREE"),
		f.of(t, 9428, "P")}
	for _, l := range series {
		for i, window := range oracle.Windows {
			want := map[string]any{"as_of_date": "2025-07-20"}
			wantReturn(want, "answers.0.figures.0", f.market.Period(l.Run, l.Name, lastDay, window))
			all = append(
				all,
				question{told(i, "¿Cuánto rentó la serie %[1]s, %[2]s?", "What did series %[1]s return, %[3]s?",
					l.name(), windowTexts[window][0], windowTexts[window][1]), "ask",
					map[string]any{
						"series": []string{l.name()},
						"window": []string{windowTexts[window][i%2]},
					}, want, nil},
			)
		}
	}
	for i, day := range []string{"2024-02-29", "2023-06-30", "2022-12-31", "2021-03-13", "2025-03-31"} {
		for _, l := range series[:2] {
			want := map[string]any{"as_of_date": day}
			wantReturn(want, "answers.0.figures.0", f.market.Period(l.Run, l.Name, date(t, day), "1y"))
			wantReturn(want, "answers.0.figures.1", f.market.Period(l.Run, l.Name, date(t, day), "3y_ann"))
			all = append(
				all,
				question{told(
					i,
					"Rentabilidad a 1 y 3 años de %s al %s",
					"Returns of %s over 1 and 3 years as of %s",
					l.name(),
					day,
				), "ask", map[string]any{"series": strconv.Itoa(int(l.id)), "window": []string{"1y", "3 years"},
					"date": day, "figures": "rentabilidad"}, want, nil},
			)
		}
	}
	for i, days := range [][2]string{{"2024-01-02", "2025-06-30"}, {"2020-03-02", "2020-12-31"}, {"2021-01-04",
		"2024-12-31"},
		{"2022-05-10", "2022-05-11"}, {"2019-12-30", "2025-07-18"}, {"2023-02-28", "2024-02-29"}, {"2020-02-20",
			"2020-03-23"},
		{"2018-01-01", "2019-01-01"}} {
		for _, l := range series[:2] {
			want := map[string]any{"batch_id": batchID}
			wantReturn(want, "answers.0.figures.0", f.market.Between(l.Run, l.Name, date(t, days[0]), date(t, days[1])))
			all = append(
				all,
				question{told(
					i,
					"¿Cuánto ganó %s entre el %s y el %s?",
					"How much did %s gain from %s to %s?",
					l.name(),
					days[0],
					days[1],
				), "ask", map[string]any{"series": []string{l.name()}, "from": days[0], "to": days[1]},
					want, nil},
			)
		}
	}
	for i, l := range []listing{f.of(t, 9809, "B"), f.of(t, 9810, "B"), f.of(t, 9809, "FREE")} {
		for _, window := range []string{"1y", "3y_ann", "5y_ann"} {
			want := map[string]any{}
			wantReturn(
				want,
				"answers.0.figures.0",
				f.market.AdjustedPeriod(l.Run, l.Name, lastDay, window, "real_uf").Period,
			)
			all = append(
				all,
				question{told(
					i,
					"¿Cuánto rentó %s sobre la UF, %s?",
					"What did %s return above inflation, %s?",
					l.name(),
					windowTexts[window][i%2],
				), "ask", map[string]any{"series": []string{l.name()}, "window": window,
					"valuation": []string{"uf", "above inflation"}[i%2]}, want, nil},
			)
		}
	}
	closed := f.of(t, 9809, "A")
	want := map[string]any{"answers.0.id": fmt.Sprint(closed.id)}
	wantReturn(want, "answers.0.figures.0", f.market.Period(closed.Run, closed.Name, date(t, "2020-06-30"), "3m"))
	return append(all, question{"¿Cuánto rentó la serie cerrada 9809-4 A en tres meses al 30 de junio de 2020?", "ask",
		map[string]any{"series": "9809-4 A", "window": "trimestre", "date": "2020-06-30"}, want, nil})
}

// rated are current series with a cost rate of the comparator, far from each other in the list.
func (f *files) rated(n int) (some []listing) {
	for i := 11; len(some) < n; i += 197 {
		if l := f.current[i%len(f.current)]; l.tac != nil && l.family != "" && f.namesOne(l) {
			some = append(some, l)
		}
	}
	return some
}

// namesOne reports whether RUN and series find no other series.
func (f *files) namesOne(l listing) bool {
	found := 0
	for _, other := range slices.Concat(f.current, f.closed) {
		if oracle.Finds(l.name(), other.fund, other.run(), other.Name, fmt.Sprint(other.id)) {
			found++
		}
	}
	return found == 1
}

func (f *files) aboutCosts() (all []question) {
	for i, l := range f.rated(24) {
		all = append(
			all,
			question{told(i, "¿Cuál es el costo anual (TAC) de %s?", "What is the cost rate of %s?", l.name()), "ask",
				map[string]any{
					"series":  []string{l.name()},
					"figures": []string{[]string{"costo", "expense ratio"}[i%2]},
				},
				map[string]any{"answers.0.figures.0.value": *l.tac / 100, "answers.0.figures.0.unit": "fraction a year",
					"answers.0.figures.0.kind": "synthetic", "answers.0.figures.0.date": "2025-09-30",
					"answers.0.id": fmt.Sprint(l.id)}, nil},
		)
	}
	return all
}

func (f *files) aboutSizes(t *testing.T) (all []question) {
	for i, l := range f.rated(40)[24:] {
		figure, path := []string{"patrimonio", "shareholders", "valor cuota"}[i%3], "answers.0.figures.0"
		want := map[string]any{path + ".date": "2025-07-20"}
		switch i % 3 {
		case 0:
			want[path+".value"], want[path+".unit"] = l.last.Equity/1e6, "millions of "+l.currency
		case 1:
			want[path+".value"], want[path+".unit"] = float64(l.last.Shareholders), "number"
		default:
			want[path+".value"], want[path+".unit"] = l.last.Quota, l.currency
		}
		all = append(
			all,
			question{told(i, "¿Cuál es el %[2]s de %[1]s?", "What is the %[2]s of %[1]s?", l.name(), figure), "ask",
				map[string]any{"series": []string{l.name()}, "figures": []string{figure}}, want, nil},
		)
	}
	l := f.of(t, 9810, "B")
	for i, day := range []string{"2020-03-23", "2021-10-18", "2023-12-29", "2025-01-15"} {
		row := f.rows[l.Series][day]
		all = append(
			all,
			question{
				told(i, "Valor cuota y patrimonio de %s el %s", "Quota and equity of %s on %s", l.name(), day),
				"ask",
				map[string]any{"series": []string{l.name()}, "figures": []string{"quota", "equity"}, "date": day},
				map[string]any{"answers.0.figures.0.value": row.Quota, "answers.0.figures.1.value": row.Equity / 1e6,
					"answers.0.figures.0.date": day},
				nil,
			},
		)
	}
	return all
}

func (f *files) aboutRisk(t *testing.T) (all []question) {
	risk := f.market.Risk(date(t, "2025-06-30"))
	for i, l := range []listing{f.of(t, 9809, "B"), f.of(t, 9809, "APV"), f.of(t, 9810, "B"), f.of(t, 9810, "APV"),
		f.of(t, 9810, "FREE"), f.of(t, 9809, "FREE")} {
		of := risk[l.Series]
		want := map[string]any{"answers.0.figures.0.date": "2025-06-30"}
		for at, value := range []*float64{of.Annual12, of.Annual36, of.Drawdown36} {
			path := fmt.Sprintf("answers.0.figures.%d.value", at)
			if want[path] = nil; value != nil {
				want[path] = *value
			}
		}
		all = append(all, question{told(i, "¿Qué tan riesgosa es %s?", "How risky is %s?", l.name()), "ask",
			map[string]any{
				"series":  []string{l.name()},
				"figures": []string{[]string{"riesgo", "volatility"}[i%2]},
			}, want, nil})
	}
	return all
}

// top returns the first of the series that pass, sorted, with ties by id, and how many pass.
func (f *files) top(n int, pass func(listing) bool, by func(a, b listing) int) (first []listing, total int) {
	passing := slices.DeleteFunc(slices.Clone(f.current), func(l listing) bool { return !pass(l) })
	slices.SortStableFunc(passing, by) // they are in the order of their ids
	return passing[:min(n, len(passing))], len(passing)
}

func wantRows(rows []listing, total int, column int, value func(listing) float64) map[string]any {
	want := map[string]any{"total": float64(total), "as_of_date": "2025-07-20", "batch_id": batchID}
	for i, l := range rows {
		want[fmt.Sprintf("rows.%d.1", i)] = l.name()
		want[fmt.Sprintf("rows.%d.%d", i, column)] = value(l)
	}
	return want
}

func (f *files) aboutRankings(t *testing.T) (all []question) {
	tac := func(l listing) float64 { return *l.tac / 100 }
	cheapest := func(a, b listing) int { return cmp.Compare(*a.tac, *b.tac) }
	for i, of := range []struct{ family, written, class string }{
		{"Balanceado moderado", "balanceado moderado", "Retail"}, {"Accionario nacional", "Accionario Nacional",
			"Retail"},
		{"Deuda < 90 dias nacional", "Deuda < 90 días nacional", "APV"}, {"Accionario eeuu", "accionario EEUU",
			"Alto Patrimonio"},
		{"Balanceado conservador", "BALANCEADO CONSERVADOR", "APV"}, {"Balanceado agresivo", "Balanceado agresivo",
			"Retail"},
		{"Deuda < 365 dias nacional en uf", "deuda 365 días nacional en UF", "Retail"},
		{"Accionario asia emergente", "Accionario Asia Emergente", "Alto Patrimonio"},
	} {
		rows, total := f.top(3, func(l listing) bool {
			return l.family == of.family && l.class == of.class && l.tac != nil
		}, cheapest)
		all = append(all, question{told(
			i,
			"¿Cuáles son las tres series más baratas de %s, %s?",
			"Which are the three cheapest series of %s, %s?",
			of.written,
			of.class,
		), "screen", map[string]any{"family": of.written,
			"investor_class": of.class, "tac_kind": "synthetic", "sort": "tac", "fields": []string{"tac"}, "limit": 3},
			wantRows(rows, total, 3, tac), nil})
	}
	for i, currency := range []string{"PESOS", "DOLAR"} {
		for _, class := range []string{"Retail", "APV"} {
			rows, total := f.top(4, func(l listing) bool {
				return l.currency == currency && l.class == class && l.tac != nil
			}, func(a, b listing) int { return cmp.Compare(*b.tac, *a.tac) })
			all = append(
				all,
				question{
					told(i, "Las cuatro series más caras en %s para %s", "The four most expensive series in %s for %s",
						currency, class),
					"screen",
					map[string]any{"currency": []string{"pesos chilenos", "US dollars"}[i],
						"investor_class": class, "tac_kind": "synthetic", "sort": "costo",
						"order":  []string{"descendente", "highest"}[i],
						"fields": "tac", "limit": 4},
					wantRows(rows, total, 3, tac),
					nil,
				},
			)
		}
	}
	for i, of := range [][2]string{{"Balanceado moderado", "Retail"}, {"Accionario nacional", "APV"},
		{"Deuda < 90 dias nacional", "Retail"}, {"Balanceado agresivo", "Alto Patrimonio"}} {
		rows, _ := f.top(3, func(l listing) bool { return l.family == of[0] && l.class == of[1] && l.spheres != "" },
			func(a, b listing) int { return cmp.Compare(b.spheres, a.spheres) })
		want := wantRows(rows, 0, 3, func(l listing) float64 { return number(t, l.spheres) })
		delete(want, "total") // series without spheres are counted too
		all = append(
			all,
			question{
				told(i, "¿Qué series de %s (%s) tienen más esferas?", "Which series of %s (%s) have the most spheres?",
					of[0], of[1]),
				"screen",
				map[string]any{"family": strings.ToUpper(of[0]), "investor_class": of[1],
					"sort": []string{"esferas", "rating"}[i%2], "order": "desc", "fields": []string{"spheres"},
					"limit": 3},
				want,
				nil,
			},
		)
	}
	for i, window := range oracle.Windows {
		value := func(l listing) *float64 { return f.market.Period(l.Run, l.Name, lastDay, window).Value }
		rows, _ := f.top(3, func(l listing) bool { return l.currency == "PESOS" && value(l) != nil },
			func(a, b listing) int { return cmp.Compare(*value(b), *value(a)) })
		want := wantRows(rows, 0, 3, func(l listing) float64 { return *value(l) })
		delete(want, "total") // series without the return are counted too
		all = append(all, question{told(i, "Las tres mejores series en pesos, %s", "The three best series in pesos, %s",
			windowTexts[window][i%2]), "screen", map[string]any{"currency": "clp", "sort": windowTexts[window][i%2],
			"order": "desc", "fields": []string{windowTexts[window][1-i%2]}, "limit": 3}, want, nil})
	}
	return all
}

func (f *files) aboutManagers() (all []question) {
	ranked := f.market.RankManagers(lastDay, f.dolar, false, f.managers)
	for i, at := range []int{0, 1, 2, 4, 9} {
		m := ranked[at]
		name := f.managers[m.Manager]
		path := fmt.Sprintf("found.%d", at)
		all = append(
			all,
			question{
				told(i, "¿Cuál es la administradora número %d por patrimonio?", "Which manager is number %d by equity?",
					at+1),
				"search",
				map[string]any{"kind": []string{"administradora", "manager"}[i%2]},
				map[string]any{path + ".manager": name, path + ".equity": *m.Patrimony, path + ".rank": float64(at + 1),
					path + ".shareholders": float64(
						m.Shareholders,
					), "total": float64(len(ranked)), "units.equity": "pesos"},
				nil,
			},
		)
		all = append(
			all,
			question{
				told(i, "¿Qué patrimonio y cuántos fondos administra %s?", "What equity and how many funds has %s?",
					name),
				"search",
				map[string]any{"kind": "manager", "query": strings.ToLower(name)},
				map[string]any{"found.0.equity": *m.Patrimony, "found.0.funds": float64(m.Funds), "total": 1.0,
					"as_of_date": "2025-07-20"},
				nil,
			},
		)
	}
	return all
}

func (f *files) aboutNames(t *testing.T) (all []question) {
	for i, text := range []string{"9809-4 B", "9428", "8.011-K", "consorcio dinamico", "DINÁMICO agresivo P",
		"focus moderado",
		"money market dolar", "1161378270", "accionario chile", "security apv", "9810-8 free"} {
		total, funds := 0, map[int]bool{}
		for _, l := range slices.Concat(f.current, f.closed) {
			if oracle.Finds(text, l.fund, l.run(), l.Name, fmt.Sprint(l.id)) {
				total++
				funds[l.Run] = true
			}
		}
		if total == 0 {
			t.Fatalf("nothing is found by %q", text)
		}
		all = append(
			all,
			question{told(i, "¿Qué series hay que se llamen «%s»?", "Which series are there by %q?", text), "search",
				map[string]any{
					"query": text,
					"limit": 1,
				}, map[string]any{"total": float64(total), "batch_id": batchID}, nil},
		)
		if i < 6 {
			all = append(
				all,
				question{told(i+1, "¿Cuántos fondos encuentra «%s»?", "How many funds does %q find?", text), "search",
					map[string]any{"query": text, "kind": "fondos"}, map[string]any{"total": float64(len(funds))}, nil},
			)
		}
	}
	return all
}

func (f *files) aboutMistakes() []question {
	return []question{
		{"¿Cuánto renta el fondo Consorsio Dinamyco?", "ask", map[string]any{"series": "consorsio dinamyco"}, nil,
			[]string{"no series is named", "CONSORCIO DINÁMICO", "Example"}},
		{"Search the fund Fokus Moderato", "search", map[string]any{"query": "fokus moderato", "kind": "fund"}, nil,
			[]string{"9809-4 MODERADO FOCUS"}},
		{"¿Cuánto renta 9809?", "ask", map[string]any{"series": "9809"}, nil,
			[]string{"names 5 series", "9809-4 APV-FREE", "id 1161378270"}},
		{
			"What did series 77 return?",
			"ask",
			map[string]any{"series": "999999999"},
			nil,
			[]string{"no series has the id 999999999"},
		},
		{"¿Costo de la serie cerrada por su id?", "ask", map[string]any{"series": "3694159972", "figures": "tac"}, nil,
			[]string{"is closed", "2020-08-10"}},
		{"Return over two years", "ask", map[string]any{"series": "9809-4 B", "window": "2 years"}, nil,
			[]string{"window", "did you mean", "3y_ann"}},
		{"Sharpe de 9809-4 B", "ask", map[string]any{"series": "9809-4 B", "figures": "sharpe"}, nil,
			[]string{"figures", "shareholders", "return, tac, equity"}},
		{
			"Returns from June 30th",
			"ask",
			map[string]any{"series": "9809-4 B", "from": "30/06/2024", "to": "2025-06-30"},
			nil,
			[]string{"from", "YYYY-MM-DD"},
		},
		{
			"¿Cuánto ganó desde el 2024?",
			"ask",
			map[string]any{"series": "9809-4 B", "from": "2024-01-02"},
			nil,
			[]string{"give both days"},
		},
		{
			"Best return of any currency",
			"screen",
			map[string]any{"sort": "1y"},
			nil,
			[]string{"currency", "PESOS or DOLAR"},
		},
		{
			"Las mejores por esferas",
			"screen",
			map[string]any{"sort": "esferas"},
			nil,
			[]string{"family and investor_class"},
		},
		{"Series of the family Balanceado agresibo", "screen", map[string]any{"family": "Balanceado agresibo"}, nil,
			[]string{"The nearest names: Balanceado agresivo"}},
		{
			"Fondos de la administradora Banchyle",
			"screen",
			map[string]any{"manager": "Banchyle"},
			nil,
			[]string{"manager", "BANCHILE"},
		},
		{
			"Funds sorted by Sharpe",
			"screen",
			map[string]any{"sort": "sharpe"},
			nil,
			[]string{"sort", "must be one of: id, tac, spheres"},
		},
		{"Fondos en euros", "screen", map[string]any{"currency": "euros"}, nil, []string{"currency", "PESOS, DOLAR"}},
		{"Screen by fund_family", "screen", map[string]any{"fund_familly": "x"}, nil,
			[]string{"there is no argument", "did you mean family?"}},
		{"Manager Santandre", "search", map[string]any{"kind": "manager", "query": "santandre"}, nil,
			[]string{"The nearest names: SANTANDER"}},
		{
			"Tabla screner",
			"sql",
			map[string]any{"statement": "SELECT 1 FROM screner"},
			nil,
			[]string{"SHOW TABLES", "UNKNOWN_TABLE"},
		},
		{
			"Drop the screener",
			"sql",
			map[string]any{"statement": "DROP VIEW screener"},
			nil,
			[]string{"ClickHouse refused"},
		},
		{"¿Qué habría dado elegir fondos balanceados antes de que fueran clasificados?", "backtest", map[string]any{
			"from": "2023-06-30", "to": "2024-06-30", "sort": "un año", "top": 3,
			"filter": map[string]any{"category": "balanceado"}}, nil,
			[]string{"no series was selected on any of 13 dates", "2024-06-30", "left out"}},
		{
			"Backtest by magic",
			"backtest",
			map[string]any{"from": "2023-06-30", "to": "2024-06-30", "sort": "magic", "top": 3},
			nil,
			[]string{"sort", "tac"},
		},
		{
			"Backtest de cien años",
			"backtest",
			map[string]any{"from": "1990-06-30", "to": "2025-06-30", "sort": "tac", "top": 3},
			nil,
			[]string{"POST /api/backtests was answered with 422"},
		},
	}
}

func (f *files) inSQL() []question {
	families, currencies := map[string]float64{}, map[string]float64{}
	largest, _ := f.top(3, func(l listing) bool { return l.currency == "PESOS" },
		func(a, b listing) int { return cmp.Compare(b.last.Equity, a.last.Equity) })
	want := map[string]any{"batch_id": batchID, "as_of_date": "2025-07-20"}
	for i, l := range largest {
		want[fmt.Sprintf("rows.%d.0", i)], want[fmt.Sprintf("rows.%d.1", i)] = l.name(), l.last.Equity
	}
	for _, l := range f.current {
		families[l.family]++
		currencies[l.currency]++
	}
	days := float64(len(f.rows[oracle.Series{Run: 9809, Name: "B"}]))
	return []question{
		{
			"¿Cuáles son las tres series más grandes en pesos?",
			"sql",
			map[string]any{"statement": "SELECT concat(run, ' ', serie), equity " +
				"FROM screener WHERE currency = 'PESOS' ORDER BY equity DESC LIMIT 3"},
			want,
			nil,
		},
		{
			"How many series has Accionario nacional?",
			"sql",
			map[string]any{"statement": "SELECT count() AS n FROM screener WHERE " +
				"family = 'Accionario nacional'"},
			map[string]any{"rows.0.0": families["Accionario nacional"],
				"columns.0": "n UInt64"},
			nil,
		},
		{
			"¿Cuántas series hay en dólares?",
			"sql",
			map[string]any{"statement": "SELECT count() FROM screener WHERE currency = 'DOLAR'"},
			map[string]any{"rows.0.0": currencies["DOLAR"]},
			nil,
		},
		{
			"How many days of quotas has 9809-4 B?",
			"sql",
			map[string]any{"statement": "SELECT count() FROM daily INNER JOIN series " +
				"USING (series_id) WHERE run = '9809-4' AND serie = 'B'"},
			map[string]any{"rows.0.0": days},
			nil,
		},
	}
}

func (f *files) aboutBacktests(t *testing.T) (all []question) {
	for i, of := range []struct {
		sort      string
		top       int
		rebalance string
	}{{"tac", 2, "quarterly"}, {"1y", 1, "monthly"}, {"equity_clp", 2, "quarterly"}} {
		s := backtestoracle.Strategy{
			From:           date(t, "2023-06-30"),
			To:             date(t, "2025-06-30"),
			Rebalance:      of.rebalance,
			EntryLag:       1,
			ExitLag:        1,
			RedemptionDays: 10,
			Known:          "then",
			Universe:       "then",
			Currency:       "PESOS",
			OnePerFund:     true,
			Sort:           of.sort,
			Descending:     of.sort != "tac",
			Top:            of.top,
			Weights:        "equal",
			Benchmark:      "uf",
		}
		result := f.backtests.Run(s)
		want := map[string]any{
			"statistics.total_return":           *result.Statistics.Total,
			"statistics.cagr":                   *result.Statistics.CAGR,
			"statistics.benchmark_total_return": *result.Statistics.BenchmarkTotal,
			"rebalancings":                      float64(len(result.Rebalancings)),
			"as_of_date":                        "2025-07-20",
		}
		all = append(
			all,
			question{told(
				i,
				"¿Qué habría dado comprar las %d primeras por %s entre junio de 2023 y junio de 2025 (%s)?",
				"What would the first %d by %s have given from June 2023 to June 2025 (%s)?",
				of.top,
				of.sort,
				of.rebalance,
			), "backtest",
				map[string]any{
					"from":      "2023-06-30",
					"to":        "2025-06-30",
					"rebalance": of.rebalance,
					"sort":      of.sort,
					"top":       of.top,
					"benchmark": "uf",
				}, want, nil},
		)
	}
	return all
}

func date(t *testing.T, text string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, text)
	must(t, err)
	return day
}

// tools counts questions by tool.
func tools(all []question) map[string]int {
	counted := map[string]int{}
	for _, q := range all {
		counted[q.Tool]++
	}
	return counted
}
