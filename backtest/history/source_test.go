package history_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/backtest/backtesttest"
	"cuota/backtest/history"
	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// patience limits each statement of the tests. Nothing is expected to take this long.
const patience = 3 * time.Minute

// source returns the source of a batch of a market.
func source(m *demotest.Market, batch uint64) *history.Source {
	return history.NewSource(reader(m), batch)
}

func reader(m *demotest.Market) sql.Reader {
	return sql.NewReader(m.Conn, "test", patience, false, nil)
}

// marketEnd is the last day of the invented markets.
var marketEnd = model.NewDate(2025, time.July, 20)

// inventedMarket writes a market of fourteen months, in which series begin, end, split, pay distributions,
// are renamed and have errors, with these changes: catalogues without a date are there from the
// first day; rates and events of a month are published when it is over; there is a comparator of families for three
// dates, in each of which some series have another family; each correction of a quote is published 40 days after its
// day, and on month ends every fifth row is corrected; of each month end, one row arrives ten days later than the
// others; and the cartola of June 2024 was loaded 70 days after its end.
func inventedMarket(t testing.TB) (dir string) {
	t.Helper()
	// at least 50 on the days that are compared, which are complete without one of them
	return inventedMarketOf(t, 62, 420)
}

// inventedMarketOf writes such a market of other series and days.
func inventedMarketOf(t testing.TB, series, days int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "market")
	_, err := synth.Write(t.Context(), dir,
		synth.Config{Series: series, Days: days, Seed: 5, End: marketEnd, Bad: synth.DefaultBad}, nil)
	must(t, err)
	sources := table(t, filepath.Join(dir, "sources.csv"), ',')
	header, files := sources[0], sources[1:]
	var listed [][]string
	add := func(dataset, file string, published model.Date) {
		listed = append(listed, []string{dataset, file, published.String() + "T00:00:00Z", "synthetic"})
	}
	for _, file := range files {
		path := filepath.Join(dir, file[1])
		switch dataset := model.Dataset(file[0]); {
		case dataset == model.Cartola && strings.Contains(file[1], "correccion"):
			for i, line := range lines(t, path)[1:] {
				name := fmt.Sprintf("cartola/correction_%d.txt", i)
				write(t, filepath.Join(dir, name), lines(t, path)[0]+line)
				add(file[0], name, dayOf(t, line).AddDays(40))
			}
		case dataset == model.Cartola:
			published := publication(t, file)
			kept, late, corrected := "", "", ""
			all := lines(t, path)
			least := leastOf(t, all[1:], published.AddDays(-1))
			for i, line := range all[1:] {
				fields := strings.Split(line, ";")
				lastDay := dayOf(t, line).AddDays(1) == published
				quota, err := strconv.ParseFloat(fields[12], 64)
				switch {
				// only one, because the day is incomplete without two, or without much of the equity
				case line == least:
					late = line
				case lastDay && i%5 == 0 && err == nil:
					corrected += line
					fields[12] = strconv.FormatFloat(1.01*quota, 'f', 4, 64)
					if fields[13] != "0" { // an empty series would restart
						fields[13] = "1000000"
					}
					kept += strings.Join(fields, ";")
				default:
					kept += line
				}
			}
			write(t, path, all[0]+kept)
			if strings.Contains(file[1], "_20240601_") {
				published = published.AddDays(70)
			}
			add(file[0], file[1], published)
			for name, text := range map[string]string{"late_": late, "corrected_": corrected} {
				name = strings.Replace(file[1], "cartola/", "cartola/"+name, 1)
				write(t, filepath.Join(dir, name), all[0]+text)
				add(file[0], name, published.AddDays(map[bool]int{true: 10, false: 40}[text == late]))
			}
		case dataset == model.ReturnsComparator:
			add(file[0], file[1], publication(t, file))
			for i, day := range []model.Date{model.NewDate(2024, time.October, 31),
				model.NewDate(2025, time.January, 31), model.NewDate(2025, time.April, 30)} {
				name := fmt.Sprintf("comparator/earlier_%d.csv", i)
				write(t, filepath.Join(dir, name), earlierFamilies(t, path, day, i))
				add(file[0], name, day.AddDays(12))
			}
		case dataset == model.Register || dataset == model.FIRegister:
			add(file[0], file[1], marketEnd.AddDays(-500))
		case dataset == model.Dolar || dataset == model.UF || dataset == model.Events:
			for name, published := range monthsOf(t, dir, file[1]) {
				add(file[0], name, published)
			}
		default:
			listed = append(listed, file)
		}
	}
	slices.SortStableFunc(listed, func(a, b []string) int { return cmp.Compare(a[2], b[2]) })
	out, err := os.Create(filepath.Join(dir, "sources.csv"))
	must(t, err)
	must(t, csv.NewWriter(out).WriteAll(append([][]string{header}, listed...)))
	must(t, out.Close())
	return dir
}

// earlierFamilies returns a comparator with another date, in which every third line has the families of
// another one, and every tenth is missing. Each line has spheres, which the market gives only to large groups.
func earlierFamilies(t testing.TB, path string, day model.Date, turn int) string {
	t.Helper()
	rows := table(t, path, ',')
	studies, date, spheres := -1, -1, -1
	for i, name := range rows[0] {
		switch strings.TrimPrefix(name, "\ufeff") {
		case "familia_estudios": // the next columns are familia_visualizador and familia_rar
			studies = i
		case "fm_fecha":
			date = i
		case "ind_rar_pond":
			spheres = i
		}
	}
	var text strings.Builder
	to := csv.NewWriter(&text)
	must(t, to.Write(rows[0]))
	for i := 1; i < len(rows); i++ {
		row := slices.Clone(rows[i])
		row[date] = strings.ReplaceAll(day.String(), "-", "")
		row[spheres] = strconv.Itoa(1 + (i+turn)%5)
		if (i+turn)%3 == 0 {
			copy(row[studies:studies+3], rows[1+(i+7)%(len(rows)-1)][studies:studies+3])
		}
		if (i+turn)%10 != 0 {
			must(t, to.Write(row))
		}
	}
	to.Flush()
	return text.String()
}

// leastOf returns the line of a day with the least equity.
func leastOf(t testing.TB, lines []string, day model.Date) (least string) {
	t.Helper()
	var equity float64
	for _, line := range lines {
		fields := strings.Split(line, ";")
		if dayOf(t, line) != day || len(fields) != 25 {
			continue
		}
		if worth, err := strconv.ParseFloat(fields[13], 64); err == nil && worth > 0 &&
			(least == "" || worth < equity) {
			least, equity = line, worth
		}
	}
	return least
}

// monthsOf writes a file of each month of a file of rates or events, because no file may be about days after its
// publication. It returns the days after these months by the names of the files.
func monthsOf(t testing.TB, dir, file string) map[string]model.Date {
	t.Helper()
	rows := table(t, filepath.Join(dir, file), ',')
	at := slices.IndexFunc(rows[0], func(name string) bool {
		return slices.Contains([]string{"fecha", "date", "first_current_date", "effective_date"}, name)
	})
	texts, published := map[string]string{}, map[string]model.Date{}
	for _, row := range rows[1:] {
		day, err := model.ParseDate(row[at])
		must(t, err)
		name := strings.TrimSuffix(file, ".csv") + "_" + day.String()[:7] + ".csv"
		published[name] = model.NewDate(day.Time().Year(), day.Time().Month()+1, 1)
		texts[name] = cmp.Or(texts[name], strings.Join(rows[0], ",")+"\n") + strings.Join(row, ",") + "\n"
	}
	for name, text := range texts {
		write(t, filepath.Join(dir, name), text)
	}
	return published
}

func publication(t testing.TB, file []string) model.Date {
	t.Helper()
	published, err := time.Parse(time.RFC3339, file[2])
	must(t, err)
	return model.DateOf(published)
}

// dayOf returns the day of a line of a cartola.
func dayOf(t testing.TB, line string) model.Date {
	t.Helper()
	day, err := model.ParseCompactDate(strings.Split(line, ";")[3])
	if err != nil { // a row that is broken on purpose
		return model.Date{}
	}
	return day
}

func table(t testing.TB, path string, comma rune) [][]string {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer func() { _ = file.Close() }()
	from := csv.NewReader(file)
	from.Comma = comma
	rows, err := from.ReadAll()
	must(t, err)
	return rows
}

func lines(t testing.TB, path string) []string {
	t.Helper()
	return slices.DeleteFunc(strings.SplitAfter(read(t, path), "\n"), func(line string) bool { return line == "" })
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same reports whether two values are equal but for the last digits, or both not known.
func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*max(1, math.Abs(a))
}

// pastRow has the columns of market_as_of.sql that a candidate has too.
type pastRow struct {
	Series          uint32     `ch:"series_id"`
	Fund            uint32     `ch:"fund_id"`
	RUN             string     `ch:"run"`
	Serie           string     `ch:"serie"`
	Manager         string     `ch:"manager"`
	FundName        string     `ch:"fund"`
	Category        *string    `ch:"category"`
	Family          *string    `ch:"family_rar"`
	ClassDated      *string    `ch:"class_dated"`
	ClassTAC        *string    `ch:"class_tac"`
	Currency        *string    `ch:"currency"`
	TAC             *float64   `ch:"tac"`
	TACKind         *string    `ch:"tac_kind"`
	Spheres         *uint8     `ch:"spheres"`
	RatedFamily     *string    `ch:"rated_family"` // the statement gives it
	ClassifiedLater bool       `ch:"classified_later"`
	Volatility12    *float64   `ch:"volatility_annualized_12m"`
	Volatility36    *float64   `ch:"volatility_annualized_36m"`
	Drawdown36      *float64   `ch:"max_drawdown_36m"`
	Returns         []*float64 `ch:"returns"`
}

func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func float[T float64 | uint8](value *T) float64 {
	if value == nil {
		return math.NaN()
	}
	return float64(*value)
}

func TestRevisedCandidatesIncludeThoseThatClosedSince(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, dir := demotest.New(t), inventedMarket(t)
	m.IngestMarket(t, dir, time.Time{}, marketEnd.AddDays(100).Time())
	batch := m.Build(t)
	d := source(m, batch)
	signals, err := d.AnsweringDays(t.Context(), []model.Date{
		model.NewDate(2000, time.January, 31), model.NewDate(2024, time.September, 30),
		model.NewDate(2025, time.February, 28),
		model.NewDate(2025, time.June, 15), marketEnd, marketEnd.AddDays(3),
	})
	must(t, err)
	if len(signals) != 5 || signals[4].Day != marketEnd || signals[0].Date != model.NewDate(2024, time.September, 30) {
		t.Fatalf("the signals are %v", signals)
	}
	lists, err := d.Candidates(t.Context(), signals, backtest.Sight{}, backtest.AllValues)
	must(t, err)
	closed, unknown, compared := 0, 0, 0
	for i, s := range signals {
		var rows []pastRow
		must(t, m.Conn.Select(t.Context(), &rows,
			"SELECT * EXCEPT (total, position, family_display, family_studies, classification_date, tac_date, price, "+
				"price_date, daily_change, "+
				"monthly_change, equity, previous_equity, month_equity, shareholders, spheres_reason, spheres_date, "+
				"spheres_loaded_at, spheres_sha256, volatility_monthly_12m, "+
				"volatility_monthly_36m, risk_level, risk_score, risk_date, risk_method_version, previous_serie, "+
				"current_serie, first_current_date, alias_ids, "+
				"currency_last_closed_month, apv, digital, qualified, reasons, starts, ends, target_starts, "+
				"target_ends) FROM ("+
				sql.Query("market_as_of")+") WHERE price IS NOT NULL",
			sql.Arg("batch", batch), sql.Arg("date", s.Day.String()), sql.Arg("known_by", s.Date.String())))
		found := map[uint32]backtest.Candidate{}
		for _, c := range lists[i].Candidates() {
			found[c.Series] = c
			if !c.Alive {
				closed++
			}
		}
		if !slices.IsSortedFunc(lists[i].Candidates(), func(a, b backtest.Candidate) int {
			return cmp.Compare(a.Series, b.Series)
		}) {
			t.Errorf("%s: the candidates are not sorted", s.Date)
		}
		for _, row := range rows {
			c, there := found[row.Series]
			if !there {
				t.Errorf("%s: series %d is missing", s.Date, row.Series)
				continue
			}
			if !c.Alive {
				t.Errorf("%s: %d is alive", s.Date, row.Series)
			}
			if row.ClassifiedLater {
				unknown++
				if c.Category != "" && c.Family != "" {
					t.Errorf("%s: %d has the family %q, which was stated later", s.Date, row.Series, c.Family)
				}
			} else if c.Category != textOf(row.Category) || c.Family != textOf(row.Family) && c.Family != "" {
				t.Errorf("%s: %d has %q, %q, want %q, %q", s.Date, row.Series, c.Category, c.Family,
					textOf(row.Category), textOf(row.Family))
			}
			got := []string{c.RUN, c.Serie, c.Manager, c.FundName, c.InvestorClass, c.Currency, c.TACKind, c.RatedClass}
			want := []string{row.RUN, row.Serie, row.Manager, row.FundName,
				cmp.Or(textOf(row.ClassDated), textOf(row.ClassTAC)), textOf(row.Currency), textOf(row.TACKind),
				textOf(row.ClassDated)}
			if !slices.Equal(got, want) || c.Fund != row.Fund {
				t.Errorf("%s: %d is %q, want %q", s.Date, row.Series, got, want)
			}
			numbers := []float64{c.TAC, c.Volatility12, c.Volatility36, c.Drawdown36}
			wanted := []float64{float(row.TAC), float(row.Volatility12), float(row.Volatility36), float(row.Drawdown36)}
			if row.Spheres != nil || c.Spheres != 0 {
				numbers, wanted = append(numbers, float64(c.Spheres)), append(wanted, float(row.Spheres))
			}
			for w := range model.Windows {
				numbers, wanted = append(numbers, c.Returns[w]), append(wanted, float(row.Returns[w]))
			}
			if !slices.EqualFunc(numbers, wanted, same) {
				t.Errorf("%s: %d has %v, want %v", s.Date, row.Series, numbers, wanted)
			}
			compared++
		}
	}
	if closed == 0 || unknown == 0 || compared < 150 {
		t.Errorf("%d candidates have closed since, %d are classified later, %d were compared", closed, unknown,
			compared)
	}
	t.Run("histories have the rows of the cartolas, their factors and breaks", func(t *testing.T) {
		sameHistories(t, m, d, batch)
	})
	t.Run("what is held is what histories give", func(t *testing.T) { sameHeld(t, m, batch) })
	t.Run("rates are those of the files", func(t *testing.T) { sameRates(t, d, dir) })
	t.Run("exchanges and family indices are those of the batch", func(t *testing.T) {
		exchanges, err := d.Exchanges(t.Context())
		must(t, err)
		var origin, destination uint32
		var on time.Time
		var factor float64
		must(t, m.Conn.QueryRow(t.Context(),
			"SELECT origin_id, destination_id, effective_date, toFloat64(factor) FROM batch_exchange(batch = $1) "+
				"WHERE destination_id != 0 ORDER BY origin_id, effective_date LIMIT 1", batch).
			Scan(&origin, &destination, &on, &factor))
		if list := exchanges[origin]; len(list) == 0 ||
			list[0] != (backtest.Exchange{On: model.DateOf(on), Into: destination, Factor: factor}) {
			t.Errorf("the exchanges of %d are %v", origin, list)
		}
		var family, currency string
		var points uint64
		var last float64
		must(t, m.Conn.QueryRow(t.Context(),
			"SELECT family_rar, currency, count(), argMax(value, date) FROM batch_family_index(batch = $1, family = "+
				"'') GROUP BY ALL ORDER BY count() DESC LIMIT 1", batch).
			Scan(&family, &currency, &points, &last))
		index, err := d.FamilyIndex(t.Context(), family, currency)
		must(t, err)
		if uint64(len(index)) != points || index[len(index)-1].Value != last {
			t.Errorf("the index of %s has %d points, want %d", family, len(index), points)
		}
		for _, none := range []string{"", "no such family"} {
			if index, err := d.FamilyIndex(t.Context(), none, currency); err != nil || len(index) > 0 {
				t.Errorf("the family %q has %d points: %v", none, len(index), err)
			}
		}
		if points, _, err := d.Symbol(t.Context(), "no such symbol"); err != nil || len(points) > 0 {
			t.Errorf("%d prices: %v", len(points), err)
		}
	})
	t.Run("a batch that is not published is refused", func(t *testing.T) {
		if got, err := d.Batch(t.Context()); err != nil || got.Number != batch || got.Cutoff != marketEnd ||
			len(got.Fingerprint) != 64 {
			t.Errorf("the batch is %+v: %v", got, err)
		}
		if _, err := source(m, batch+7).Batch(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "not published") {
			t.Errorf("batch %d: %v", batch+7, err)
		}
	})
}

// sameHistories compares histories with the rows of the cartolas, in the order of days.
func sameHistories(t *testing.T, m *demotest.Market, d *history.Source, batch uint64) {
	type row struct {
		Series       uint32    `ch:"series_id"`
		Date         time.Time `ch:"date"`
		Quota        float64   `ch:"value"`
		Currency     string    `ch:"currency"`
		Equity       float64   `ch:"worth"`
		Adjustment   float64   `ch:"adjustment"`
		Distribution float64   `ch:"distribution"`
	}
	var rows []row
	must(t, m.Conn.Select(t.Context(), &rows,
		`SELECT series_id, date, toFloat64(assumeNotNull(quota)) AS value, toString(currency) AS currency, toFloat64(ifNull(equity, -1)) AS worth,
		toFloat64(ifNull(adjustment_factor, 1)) AS adjustment, toFloat64(ifNull(distribution_factor, 1)) AS distribution
		FROM batch_series_day(batch = $1, series = [], all_series = true)
		WHERE quota IS NOT NULL AND date <= (SELECT as_of_date FROM batch WHERE batch = $1) ORDER BY series_id, date`,
		batch))
	var ids []uint32
	for _, r := range rows {
		ids = append(ids, r.Series)
	}
	ids = slices.Compact(ids)
	factors, breaks := 0, 0
	for _, from := range []model.Date{model.NewDate(2025, time.March, 1), model.NewDate(1960, time.January, 1),
		model.NewDate(2025, time.January, 15)} {
		got, err := d.Histories(t.Context(), append([]uint32{ids[3], 4}, ids...), from)
		must(t, err)
		if len(got[4].Quotas) > 0 || len(got) != len(ids)+1 {
			t.Errorf("%d histories, and %d quotes of a series that does not exist", len(got), len(got[4].Quotas))
		}
		wanted, last := map[uint32]*backtest.History{}, map[uint32]row{}
		for _, r := range rows {
			before, day, want := last[r.Series], model.DateOf(r.Date), wanted[r.Series]
			last[r.Series] = r
			if day.Compare(from.AddDays(-8)) < 0 {
				continue
			}
			if want == nil {
				want = &backtest.History{First: day, Factor: map[model.Date]float64{}}
				wanted[r.Series] = want
			}
			for len(want.Quotas) < day.DaysSince(want.First) {
				want.Quotas = append(want.Quotas, 0)
			}
			want.Quotas = append(want.Quotas, r.Quota)
			moved := r.Adjustment != 1 && !(before.Quota > 0 && math.Abs(r.Quota*r.Adjustment/before.Quota-1) <= .2)
			switch {
			case day == want.First: // nothing is held before it
			case moved || r.Distribution < 1 || r.Distribution > 1.5 || before.Currency != r.Currency ||
				before.Equity == 0 && r.Equity > 0:
				want.Breaks = append(want.Breaks, day)
				breaks++
			case r.Adjustment != 1 || r.Distribution != 1:
				want.Factor[day] = r.Adjustment * r.Distribution
				factors++
			}
		}
		for id, want := range wanted {
			h := got[id]
			if h.First != want.First || !slices.Equal(h.Quotas, want.Quotas) || !slices.Equal(h.Breaks, want.Breaks) {
				t.Errorf("since %s, %d begins on %s with %d quotes, want %s with %d; it breaks on %v, want %v",
					from, id, h.First, len(h.Quotas), want.First, len(want.Quotas), h.Breaks, want.Breaks)
			}
			for day, factor := range want.Factor {
				if !same(h.Factor[day], factor) {
					t.Errorf("the factor of %d on %s is %v, want %v", id, day, h.Factor[day], factor)
				}
			}
			for day := range h.Factor {
				if _, there := want.Factor[day]; !there && day.Compare(want.First) > 0 {
					t.Errorf("%d has a factor on %s", id, day)
				}
			}
		}
	}
	if factors == 0 || breaks == 0 {
		t.Errorf("%d factors, %d breaks: nothing was put to the test", factors, breaks)
	}
}

// sameHeld follows the history of each series from one day to another, and compares that with what is read of both
// ends. One series breaks on a day without a quote before the first day.
func sameHeld(t *testing.T, m *demotest.Market, batch uint64) {
	type gap struct {
		Series uint32    `ch:"series_id"`
		Before time.Time `ch:"before"`
		Date   time.Time `ch:"date"`
	}
	var gaps []gap
	must(t, m.Conn.Select(t.Context(), &gaps, `SELECT series_id, before, date FROM (
			SELECT series_id, date, lagInFrame(date, 1, date) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
			FROM batch_series_day(batch = $1, series = [], all_series = true) WHERE quota > 0)
		WHERE date - before BETWEEN 3 AND 30 ORDER BY series_id, date LIMIT 1`, batch))
	if len(gaps) != 1 {
		t.Fatal("no series has three days without a quote")
	}
	on := model.DateOf(gaps[0].Before)
	must(t, m.Conn.Exec(t.Context(),
		"INSERT INTO discontinuity (batch, series_id, date, kind) VALUES ($1, $2, $3, 'curated')", batch,
		gaps[0].Series, on.AddDays(1).String()))
	// The batch was built before.
	m.Change(t, "DELETE FROM series_step WHERE batch = $1", batch)
	must(t, m.Conn.Exec(t.Context(),
		"INSERT INTO series_step SELECT $1, * FROM batch_series_step(batch = $1, first = 0, last = 4294967295)", batch))
	d := source(m, batch) // another one may have read the breaks already
	var ids []uint32
	must(t, m.Conn.QueryRow(t.Context(),
		"SELECT groupArray(series_id) FROM (SELECT series_id FROM series WHERE batch = $1 ORDER BY series_id)",
		batch).Scan(&ids))
	broken, multiplied := 0, 0
	for _, days := range [][2]model.Date{
		{on.AddDays(2), marketEnd}, {model.NewDate(2024, time.June, 30), marketEnd},
		{model.NewDate(2025, time.January, 4), model.NewDate(2025, time.May, 1)},
		{marketEnd.AddDays(-3), marketEnd}, {model.NewDate(1960, time.January, 1), marketEnd},
	} {
		histories, err := d.Histories(t.Context(), ids, days[0])
		must(t, err)
		want := backtesttest.HeldOf(histories, days[0], days[1])
		got, err := d.Held(t.Context(), days[0], days[1])
		must(t, err)
		if len(got) != len(want) {
			t.Errorf("from %s to %s, %d series are held, want %d", days[0], days[1], len(got), len(want))
		}
		for id, h := range want {
			other := got[id]
			if !same(h.Quotas, other.Quotas) {
				t.Errorf("from %s to %s, a quota of %d becomes %v, want %v", days[0], days[1], id, other.Quotas,
					h.Quotas)
			}
			if h.Broken {
				broken++
			}
			if h.Quotas != 1 {
				multiplied++
			}
			if h.Quotas = other.Quotas; h != other {
				t.Errorf("from %s to %s, of %d is held %+v, want %+v", days[0], days[1], id, other, h)
			}
		}
		if again, err := d.Held(t.Context(), days[0], days[1]); err != nil || len(again) != len(got) {
			t.Errorf("a second time %d series: %v", len(again), err)
		}
	}
	first := on.AddDays(2)
	held, err := d.Held(t.Context(), first, marketEnd)
	must(t, err)
	if h := held[gaps[0].Series]; !h.Broken || h.LastOn != on {
		t.Errorf("a series that breaks on a day without a quote before %s is held as %+v", first, h)
	}
	if broken < 2 || multiplied == 0 {
		t.Errorf("%d series break, %d grow by factors: nothing was put to the test", broken, multiplied)
	}
}

// sameRates compares the dollar with the lines of its file.
func sameRates(t *testing.T, d *history.Source, dir string) {
	rates := map[string]float64{}
	for _, line := range table(t, filepath.Join(dir, "macro", "dolar_observado_sintetico.csv"), ',')[1:] {
		rate, err := strconv.ParseFloat(line[1], 64)
		must(t, err)
		rates[line[0]] = rate
	}
	first, last := marketEnd.AddDays(-430), marketEnd.AddDays(20)
	dollars, err := d.Dollar(t.Context(), first, last)
	must(t, err)
	ufs, err := d.UF(t.Context(), first, last)
	must(t, err)
	if len(dollars) != 451 || len(ufs) != 451 || ufs[200] <= 0 {
		t.Fatalf("%d dollars and %d UF", len(dollars), len(ufs))
	}
	none := 0
	for i, got := range dollars {
		want := 0.
		for age := 0; age <= 7 && want == 0; age++ {
			want = rates[first.AddDays(i-age).String()]
		}
		if want == 0 {
			none++
		}
		if got != want {
			t.Errorf("the dollar of %s is %v, want %v", first.AddDays(i), got, want)
		}
	}
	if none == 0 {
		t.Error("every day has a dollar")
	}
}

func TestWhatWasKnownThenIsWhatAMarketWithoutTheLaterFilesHas(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := inventedMarket(t)
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, marketEnd.AddDays(100).Time())
	batch := m.Build(t)
	today, reading := source(m, batch), source(m, batch)
	reading.KeepNoLaterRows()
	missing, corrected, compared, rated, marked := 0, 0, 0, 0, 0
	for _, s := range []backtest.Signal{
		{Date: model.NewDate(2025, time.January, 31), Order: model.NewDate(2025, time.February, 5)},
		{Date: model.NewDate(2025, time.June, 30), Order: model.NewDate(2025, time.July, 1)},
	} {
		s.Day = s.Date
		earlier := demotest.New(t)
		earlier.IngestMarket(t, dir, time.Time{}, s.Order.AddDays(1).Time().Add(-time.Millisecond))
		then := source(earlier, earlier.Build(t))
		if of, err := then.Batch(t.Context()); err != nil || of.Cutoff.Compare(s.Day) < 0 {
			t.Fatalf("then, the market was complete up to %s, not up to %s: %v", of.Cutoff, s.Day, err)
		}
		was, err := then.Candidates(t.Context(), []backtest.Signal{s}, backtest.Sight{}, backtest.AllValues)
		must(t, err)
		is, err := today.Candidates(t.Context(), []backtest.Signal{s}, backtest.Sight{Then: true}, backtest.AllValues)
		must(t, err)
		repeated, err := reading.Candidates(t.Context(), []backtest.Signal{s}, backtest.Sight{Then: true},
			backtest.AllValues)
		must(t, err)
		given, read := is[0].Candidates(), repeated[0].Candidates()
		if len(read) != len(given) {
			t.Fatalf("%s: with the later rows read in the statement, there are %d candidates, else %d", s.Date,
				len(read), len(given))
		}
		for i := range read {
			if diff := gocmp.Diff(given[i], read[i], cmpopts.EquateNaNs(), gocmp.Comparer(func(a, b model.Date) bool {
				return a == b
			})); diff != "" {
				t.Fatalf("%s: with the later rows read in the statement (-given +read): %s", s.Date, diff)
			}
		}
		revised, err := today.Candidates(t.Context(), []backtest.Signal{s}, backtest.Sight{}, backtest.AllValues)
		must(t, err)
		marked += marksAreTrue(t, s, is[0].Candidates(), revised[0].Candidates())
		expected := map[uint32]backtest.Candidate{}
		for _, c := range was[0].Candidates() {
			expected[c.Series] = c
		}
		for _, c := range is[0].Candidates() {
			want, there := expected[c.Series]
			delete(expected, c.Series)
			if c.NotKnownThen {
				missing++
				continue // the market of then has an older row
			}
			if !there {
				t.Errorf("%s: series %d was no candidate then", s.Date, c.Series)
				continue
			}
			if c.Corrected != 0 {
				corrected++
			}
			if c.Family != "" && c.RatedClass != "" {
				rated++
			}
			compared++
			for _, pair := range []struct {
				name      string
				got, want float64
				null      bool // if a row inside its period was corrected
			}{
				{"equity", c.EquityCLP, want.EquityCLP, false}, {"tac", c.TAC, want.TAC, true},
				{"volatility of 12 months", c.Volatility12, want.Volatility12, true},
				{"drawdown", c.Drawdown36, want.Drawdown36, true},
				{"spheres", float64(c.Spheres), float64(want.Spheres), false},
			} {
				if !same(pair.got, pair.want) && !(pair.null && c.Corrected != 0 && math.IsNaN(pair.got)) {
					t.Errorf("%s: the %s of %d is %v, and was %v", s.Date, pair.name, c.Series, pair.got, pair.want)
				}
			}
			for w, window := range model.Windows {
				if !same(c.Returns[w], want.Returns[w]) {
					t.Errorf("%s: %s of %d is %v, and was %v", s.Date, window, c.Series, c.Returns[w], want.Returns[w])
				}
			}
			got := []string{c.Category, c.Family, c.RatedClass, c.InvestorClass, c.Currency}
			stated := []string{want.Category, want.Family, want.RatedClass, want.InvestorClass, want.Currency}
			if !slices.Equal(got, stated) {
				t.Errorf("%s: %d is %q, and was %q", s.Date, c.Series, got, stated)
			}
		}
		for id := range expected {
			t.Errorf("%s: series %d was a candidate then", s.Date, id)
		}
	}
	for _, of := range []struct {
		name         string
		signal       backtest.Signal
		unknown, old bool
	}{
		{"a month whose file was published after the order day",
			backtest.Signal{Date: model.NewDate(2025, time.June, 15), Order: model.NewDate(2025, time.June, 30)}, true,
			false},
		{"a month whose file had been published by then",
			backtest.Signal{Date: model.NewDate(2025, time.June, 15), Order: model.NewDate(2025, time.July, 1)}, false,
			false},
		{"a month that was loaded later", backtest.Signal{Date: model.NewDate(2024, time.June, 15),
			Order: model.NewDate(2024, time.June, 16)}, false, true},
	} {
		of.signal.Day = of.signal.Date
		lists, err := today.Candidates(t.Context(), []backtest.Signal{of.signal, of.signal}, backtest.Sight{Then: true},
			backtest.AllValues)
		must(t, err)
		if len(lists) != 2 || len(lists[0].Candidates()) < 20 ||
			len(lists[1].Candidates()) != len(lists[0].Candidates()) {
			t.Fatalf("%s has %d lists, the first one of %d", of.name, len(lists), len(lists[0].Candidates()))
		}
		for _, c := range lists[0].Candidates() {
			if c.NotKnownThen != of.unknown || of.old != (c.LaterHistory&backtest.RowValues != 0) {
				t.Errorf("%s: %d has not known then: %t, loaded later: %t", of.name, c.Series, c.NotKnownThen,
					c.LaterHistory != 0)
			}
		}
	}
	if missing == 0 || corrected == 0 || compared < 90 || rated == 0 || marked < 20 {
		t.Errorf("%d were not known, %d corrected, %d compared, %d rated, %d marked: nothing was put to the test",
			missing, corrected, compared, rated, marked)
	}
}

// marksAreTrue checks that a value is marked as corrected if and only if it differs from the revised one, and that a
// return is marked as one of a later history if and only if its window begins in June 2024. It returns the number of
// marks.
func marksAreTrue(t *testing.T, s backtest.Signal, then, revised []backtest.Candidate) (marked int) {
	t.Helper()
	today := map[uint32]backtest.Candidate{}
	for _, c := range revised {
		today[c.Series] = c
	}
	for _, c := range then {
		now, there := today[c.Series]
		if !there { // its row is void today
			continue
		}
		for values, differs := range map[backtest.Values]bool{
			backtest.EquityValues: !same(c.EquityCLP, now.EquityCLP), backtest.RowValues: c.Currency != now.Currency,
			backtest.RiskValues: !same(c.Volatility12, now.Volatility12) || !same(c.Volatility36, now.Volatility36) ||
				!same(c.Drawdown36, now.Drawdown36),
		} {
			if marks := c.Corrected&values != 0; marks != differs {
				t.Errorf("%s: the values %b of %d are marked as corrected: %t, and differ: %t", s.Date, values,
					c.Series, marks, differs)
			}
		}
		for w, months := range map[int]int{0: 1, 1: 3, 2: 6, 3: 12} { // windows by their places
			window := backtest.Values(1) << w
			if marks, differs := c.Corrected&window != 0, !same(c.Returns[w], now.Returns[w]); marks != differs {
				t.Errorf("%s: %s of %d is marked as corrected: %t, and differs: %t", s.Date, model.Windows[w], c.Series,
					marks, differs)
			} else if marks {
				marked++
			}
			begins := s.Date.Time().AddDate(0, -months, 0)
			old := begins.Year() == 2024 && begins.Month() == time.June
			if marks := c.LaterHistory&window != 0; marks && !old ||
				!marks && old && !math.IsNaN(now.Returns[w]) && begins.Day() > 10 {
				t.Errorf("%s: %s of %d is marked as one of a later history: %t", s.Date, model.Windows[w], c.Series,
					marks)
			} else if marks {
				marked++
			}
		}
	}
	return marked
}
