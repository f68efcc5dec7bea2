package query_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// touched is an answer of GET /api/affected.
type touched struct {
	Data struct {
		ID         string
		Attributes struct {
			Line struct {
				SHA256 string
				Line   int
				Series uint32 `json:"series_id"`
				Serie  string
				Date   string
			}
			Columns []string
			Rows    int
			Tables  []struct {
				Table   string
				Rows    int
				Columns []string
				Listed  []struct {
					Key     map[string]any
					Columns []string
				}
			}
		}
	}
}

// touchedRows are columns of rows, by table and key.
type touchedRows map[string]map[string]map[string]bool

func (rows touchedRows) add(table, key string, columns ...string) {
	if rows[table] == nil {
		rows[table] = map[string]map[string]bool{}
	}
	if rows[table][key] == nil {
		rows[table][key] = map[string]bool{}
	}
	for _, column := range columns {
		rows[table][key][column] = true
	}
}

func (rows touchedRows) count() (n int) {
	for _, of := range rows {
		n += len(of)
	}
	return n
}

// correction is a line as it is corrected.
type correction struct {
	file    string // hash of the file
	line    int    // in it
	columns []string
	text    string // the corrected line
}

// placesInCartola are the places of the columns of cartola_daily in a line of the file. Costs are the first of four.
var placesInCartola = map[string]int{"invested_in_funds": 7, "units_contributed": 9, "units_redeemed": 10,
	"units_outstanding": 11, "quota": 12, "equity": 13, "shareholders": 14, "costs": 17, "adjustment_factor": 23,
	"distribution_factor": 24}

// corrected draws which columns of a line change, and by how much: a quota by at most a hundredth, amounts by at most a
// twentieth. A line in ten states another factor of a distribution.
func corrected(random *rand.Rand, line string) (columns []string, text string) {
	fields := strings.Split(line, ";")
	likely := map[string]float64{"quota": 0.6, "equity": 0.4, "shareholders": 0.3, "costs": 0.3, "units_contributed": 0.2,
		"units_redeemed": 0.2, "units_outstanding": 0.2, "invested_in_funds": 0.1, "distribution_factor": 0.1}
	for len(columns) == 0 {
		for _, column := range slices.Sorted(maps.Keys(likely)) {
			// Equity that was zero and is positive again is a break of the series, which is not told.
			breaks := column == "equity" && strings.Trim(fields[placesInCartola[column]], "0.") == ""
			if random.Float64() < likely[column] && !breaks {
				columns = append(columns, column)
			}
		}
	}
	for _, column := range columns {
		field := &fields[placesInCartola[column]]
		value, err := strconv.ParseFloat(strings.ReplaceAll(*field, ",", "."), 64)
		if err != nil {
			value = 0
		}
		_, decimals, _ := strings.Cut(strings.ReplaceAll(*field, ",", "."), ".")
		sign := float64(1 - 2*random.IntN(2))
		switch column {
		case "quota":
			*field = strconv.FormatFloat(value*(1+sign*(0.001+0.009*random.Float64())), 'f', max(4, len(decimals)), 64)
		case "distribution_factor":
			*field = strconv.FormatFloat(1.001+0.02*random.Float64(), 'f', 6, 64)
		case "shareholders":
			*field = strconv.Itoa(int(value) + 1 + random.IntN(20))
		default:
			if value == 0 {
				value = 100
			}
			*field = strconv.FormatFloat(value*(1+sign*(0.01+0.04*random.Float64())), 'f', len(decimals), 64)
		}
	}
	return columns, strings.Join(fields, ";")
}

func hashOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// correctedMarket is a market whose lines are corrected.
type correctedMarket struct {
	fileMarket
	lines map[string][]string // of each cartola, by hash
	days  int                 // after which the next correction is published
}

// newCorrectedMarket publishes what fill ingests. Its cartolas are noted.
func newCorrectedMarket(t *testing.T, fill func(*correctedMarket)) *correctedMarket {
	t.Helper()
	m := &correctedMarket{newFileMarket(t), map[string][]string{}, 0}
	fill(m)
	m.build(t)
	return m
}

// note keeps the lines of a cartola.
func (m *correctedMarket) note(text string) {
	m.lines[hashOf([]byte(text))] = strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
}

// invented fills a market with many families, some of whose series close, distribute, or are void on some days.
func invented(t *testing.T, config synth.Config) func(*correctedMarket) {
	return func(m *correctedMarket) {
		dir := filepath.Join(t.TempDir(), "market")
		_, err := synth.Write(t.Context(), dir, config, nil)
		must(t, err)
		m.market.IngestMarket(t, dir, time.Time{}, demotest.Clock)
		for _, source := range table(t, filepath.Join(dir, "sources.csv")) {
			if model.Dataset(source["dataset"]) == model.Cartola {
				m.note(string(readAll(t, filepath.Join(dir, source["file"]))))
			}
		}
	}
}

// crowded fills a market of two families with so many series that each has an index.
func crowded(t *testing.T, days int) func(*correctedMarket) {
	return func(m *correctedMarket) {
		from := firstArrival.AddDate(0, 0, -days)
		rates := []string{"fecha,valor"}
		for day := from; !day.After(firstArrival); day = day.AddDate(0, 0, 1) {
			rates = append(rates, fmt.Sprintf("%s,%d", day.Format(time.DateOnly), 900+day.YearDay()))
		}
		for name, of := range map[string]struct {
			dataset model.Dataset
			lines   []string
		}{
			"history.txt":  {model.Cartola, quotesOf(chronicleRuns(), from, firstArrival, 0)},
			"families.csv": {model.ReturnsComparator, familiesOf(chronicleRuns(), firstArrival.AddDate(0, 0, -30).Format("20060102"), 0)},
			"dolar.csv":    {model.Dolar, rates},
			"uf.csv":       {model.UF, append(slices.Clone(rates), "2026-03-16,39000")},
		} {
			text := strings.Join(of.lines, "\n") + "\n"
			if of.dataset == model.Cartola {
				m.note(text)
			}
			m.ingest(t, of.dataset, name, text, 0)
		}
	}
}

// draw returns corrections of so many lines that count, each of another series.
func (m *correctedMarket) draw(t *testing.T, random *rand.Rand, number int) (list []correction) {
	t.Helper()
	rows, err := m.conn.Query(t.Context(), `
		SELECT sha256, line FROM
		(
			SELECT source_sha256 AS sha256, source_line AS line, run, serie, void
			FROM fact_quota
			ORDER BY run, serie, date, revision DESC, source_sha256 DESC, source_line DESC, void
			LIMIT 1 BY run, serie, date
		)
		WHERE NOT void
		ORDER BY cityHash64(sha256, line, $1)
		LIMIT 1 BY run, serie
		LIMIT $2`, random.Uint64(), number)
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one correction
		var line uint32
		must(t, rows.Scan(&one.file, &line))
		one.line = int(line)
		one.columns, one.text = corrected(random, m.lines[one.file][one.line-1])
		list = append(list, one)
	}
	must(t, rows.Err())
	return list
}

// told asks which rows are computed with the lines.
func (m *correctedMarket) told(t *testing.T, list []correction) touchedRows {
	t.Helper()
	rows := touchedRows{}
	for _, one := range list {
		got := m.get(t, "/api/affected?rows=10000&file="+one.file+"&line="+strconv.Itoa(one.line)+
			"&columns="+url.QueryEscape(strings.Join(one.columns, ",")))
		wantStatus(t, got, http.StatusOK)
		var answer touched
		must(t, json.Unmarshal(got.body, &answer))
		for _, table := range answer.Data.Attributes.Tables {
			if len(table.Listed) != table.Rows {
				t.Fatalf("%d of %d rows of %s", len(table.Listed), table.Rows, table.Table)
			}
			for _, row := range table.Listed {
				rows.add(table.Table, keyOf(t, row.Key), row.Columns...)
			}
		}
	}
	return rows
}

// correct publishes the corrected lines, and returns the rows that differ after it, with the columns that do.
func (m *correctedMarket) correct(t *testing.T, list []correction) touchedRows {
	t.Helper()
	var since string
	must(t, m.conn.QueryRow(t.Context(), "SELECT argMax(batch_id, batch) FROM batch").Scan(&since))
	var header string
	lines := make([]string, len(list))
	for i, one := range list {
		header, lines[i] = m.lines[one.file][0], one.text
	}
	m.days++
	text := header + "\n" + strings.Join(lines, "\n") + "\n"
	m.note(text)
	m.ingest(t, model.Cartola, fmt.Sprintf("correction_%d.txt", m.days), text, m.days)
	m.build(t)
	got := serve(m.Handler(), m.request(http.MethodGet, "/api/changes?since="+since))
	wantStatus(t, got, http.StatusOK)
	rows := touchedRows{}
	scanner := bufio.NewScanner(bytes.NewReader(got.body))
	scanner.Buffer(nil, 1<<20)
	complete := false
	for scanner.Scan() {
		var l line
		must(t, json.Unmarshal(scanner.Bytes(), &l))
		complete = complete || l.End != nil
		if l.Table == "" {
			continue
		}
		rows.add(l.Table, keyOf(t, l.Key))
		for column, was := range l.Was {
			if is := l.Is[column]; l.Is != nil && !reflect.DeepEqual(was, is) {
				rows.add(l.Table, keyOf(t, l.Key), column)
			}
		}
	}
	must(t, scanner.Err())
	if !complete {
		t.Fatal("the feed is not complete")
	}
	return rows
}

func TestWhatALineTouchesCoversItsCorrection(t *testing.T) {
	t.Parallel()
	t.Run("in families that have an index", func(t *testing.T) {
		t.Parallel()
		days, rounds := 120, 2
		if !testing.Short() {
			days, rounds = 1200, 1 // more than three years have figures of risk
		}
		newCorrectedMarket(t, crowded(t, days)).covers(t, rounds, 8)
	})
	t.Run("in a market with closures, distributions and void days", func(t *testing.T) {
		longtest.InTurns(t)
		t.Parallel()
		config := synth.Config{Series: 80, Days: 600, Seed: 3, Bad: synth.DefaultBad,
			End: model.NewDate(2025, time.July, 20)}
		newCorrectedMarket(t, invented(t, config)).covers(t, 2, 40)
	})
}

// covers corrects lines at random in so many rounds. What was told of the lines must have all rows that differ then,
// but those of which only a rank or the count of outliers does, and may have a tenth more.
func (m *correctedMarket) covers(t *testing.T, rounds, each int) {
	t.Helper()
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 1))
	toldRows, changedRows := map[string]int{}, map[string]int{}
	told, changed, beyond := 0, 0, 0
	for round := range rounds {
		list := m.draw(t, random, each)
		if len(list) != each {
			t.Fatalf("%d lines", len(list))
		}
		may := m.told(t, list)
		did := m.correct(t, list)
		for table, rows := range did {
			for key, columns := range rows {
				// Not told is who else has another score, which is a rank, and whether the change of the line becomes
				// an outlier of a family that has too few others.
				counts := []string{"eligible_series", "eligible_share", "month_series", "month_share"}
				if may[table][key] == nil && nothingBut(columns, "risk_score", "risk_level") ||
					table == "family_daily" && nothingBut(columns, counts...) {
					beyond++
					continue
				}
				changed++
				changedRows[table]++
				if may[table][key] == nil {
					t.Errorf("seed %d, round %d: not told: %s %s, in %v", seed, round, table, key,
						slices.Sorted(maps.Keys(columns)))
					continue
				}
				for column := range columns {
					if column != "risk_score" && column != "risk_level" && !may[table][key][column] {
						t.Errorf("seed %d, round %d: of %s %s, %s is not told", seed, round, table, key, column)
					}
				}
			}
		}
		for table, rows := range may {
			toldRows[table] += len(rows)
		}
		told += may.count()
	}
	t.Logf("seed %d: %d corrections, %d rows told, %d changed, and %d by ranks or outliers alone", seed, rounds*each,
		told, changed, beyond)
	for _, table := range slices.Sorted(maps.Keys(toldRows)) {
		t.Logf("%-16s %7d told %7d changed", table, toldRows[table], changedRows[table])
	}
	if told*10 > changed*11 {
		t.Errorf("%d rows told, and only %d changed", told, changed)
	}
}

// nothingBut reports whether some of these columns have changed, and no other.
func nothingBut(columns map[string]bool, these ...string) bool {
	for column := range columns {
		if !slices.Contains(these, column) {
			return false
		}
	}
	return len(columns) > 0
}

func TestALineThatNothingFollowsFromIsRefused(t *testing.T) {
	t.Parallel()
	m := newFileMarket(t)
	first := quotesOf([]int{firstRun}, firstArrival.AddDate(0, 0, -20), firstArrival, 0)
	first = append(first, strings.Replace(first[1], ";A;", ";WRONG;", 1))
	rejected := strings.Split(first[len(first)-1], ";")
	rejected[13] = "x"
	first[len(first)-1] = strings.Join(rejected, ";")
	second := quotesOf([]int{firstRun}, firstArrival, firstArrival, 1)
	write := func(dataset model.Dataset, name string, lines []string, days int) string {
		text := strings.Join(lines, "\n") + "\n"
		path := filepath.Join(t.TempDir(), name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		m.market.Ingest(t, dataset, path, firstPublished.AddDate(0, 0, days))
		return hashOf([]byte(text))
	}
	old := write(model.Cartola, "first.txt", first, 0)
	correct := write(model.Cartola, "second.txt", second, 1)
	write(model.Cartola, "second.txt", quotesOf([]int{firstRun + 1}, firstArrival, firstArrival, 1), 1)
	write(model.UF, "uf.csv", []string{"fecha,valor", "2026-03-15,39000.00"}, 0)
	m.build(t)
	// Line 3 was rejected by an earlier version of the program, and accepted when its file was ingested again.
	must(t, m.conn.Exec(t.Context(), `
		INSERT INTO fact_quota (run, serie, date, revision, source_sha256, void, source_line)
		SELECT run, serie, date, revision, source_sha256, true, source_line
		FROM fact_quota WHERE source_sha256 = $1 AND source_line = 3`, old))
	must(t, m.conn.Exec(t.Context(), `
		INSERT INTO rejected_row (dataset, source_sha256, source_line, revision, file, reason, raw)
		SELECT 'cartola', source_sha256, source_line, revision, 'first.txt', 'no number', ''
		FROM fact_quota WHERE source_sha256 = $1 AND source_line = 3 AND NOT void`, old))
	ask := func(file string, line int, more string) answer {
		return m.get(t, fmt.Sprintf("/api/affected?file=%s&line=%d%s", file, line, more))
	}
	last := len(first) - 2 // of first.txt, corrected
	for _, of := range []struct {
		file   string
		line   int
		more   string
		status int
		says   string
	}{
		{old, 2, "", http.StatusOK, `"serie":"A"`},
		{correct, 2, "&columns=costs&rows=0", http.StatusOK, `"listed":[]`},
		{"first.txt", 2, "", http.StatusOK, old},
		{strings.ToUpper(old), 2, "&rows=0", http.StatusOK, `"sha256":"` + old},
		{old, 3, "&rows=0", http.StatusOK, `"serie":"B"`},
		{strings.Repeat("0", 64), 2, "", http.StatusNotFound, "No file of the batch"},
		{"second.txt", 2, "", http.StatusUnprocessableEntity, correct},
		{"uf.csv", 2, "", http.StatusUnprocessableEntity, "Must be a file of the dataset cartola"},
		{old, 1, "", http.StatusUnprocessableEntity, "this one is the header"},
		{old, 9999, "", http.StatusUnprocessableEntity, fmt.Sprintf("whose last row is in line %d", len(first))},
		{old, len(first), "", http.StatusUnprocessableEntity, "Must be a line that was not rejected"},
		{old, last, "", http.StatusUnprocessableEntity, "line 2 of the file " + correct},
		{old, 0, "", http.StatusUnprocessableEntity, "greater_than_equal"},
		{old, 2, "&columns=quota,quota", http.StatusUnprocessableEntity, "twice"},
		{old, 2, "&columns=price", http.StatusUnprocessableEntity, "Must be names of these columns"},
	} {
		got := ask(of.file, of.line, of.more)
		if got.status != of.status || !strings.Contains(string(got.body), of.says) {
			t.Errorf("line %d of %s%s: status %d, want %d with %q: %.500s", of.line, of.file, of.more, got.status, of.status,
				of.says, got.body)
		}
	}
}
