package projector_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// whatever returns checksums of everything except names: it leaves out what series are
// called, and the hashes and lines of files that contain the names.
func whatever(t *testing.T, m *demotest.Market, batch uint64) map[string]string {
	t.Helper()
	sums := demotest.Checksums(t, m.Conn, batch)
	delete(sums, "series_rename")
	delete(sums, "series_label")
	for _, table := range []string{"series", "screener", "tac_month"} {
		sums[table] = column(t, m, fmt.Sprintf(`
			SELECT toString((sum(cityHash64(toString(tuple(*)))), count()))
			FROM (SELECT * EXCEPT '^(batch|spheres_sha256|source_sha256|source_line|previous_serie|current_serie|first_current_date|alias_ids)$' FROM %s WHERE batch = $1)`, table), batch)[0]
	}
	return sums
}

var renamesPublished = demotest.Clock.AddDate(0, 0, -3)

// ingestRenamed publishes the demo market with changed names, but not the file of the
// renames.
func ingestRenamed(t *testing.T, m *demotest.Market) {
	t.Helper()
	for _, source := range demotest.RenamedDemo(t, false) {
		m.Ingest(t, source.Dataset, source.Path, source.Published)
	}
}

func TestARenamedSeriesIsOneSeriesInEveryProjection(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	one := demotest.New(t)
	for _, source := range demotest.RenamedDemo(t, true) {
		one.Ingest(t, source.Dataset, source.Path, source.Published)
	}
	want := whatever(t, one, one.Build(t))

	m := demotest.New(t)
	ingestRenamed(t, m)
	apart := m.Build(t)
	before := demotest.Checksums(t, m.Conn, apart)
	if diff := cmp.Diff(want["series_day"], before["series_day"]); diff == "" {
		t.Fatal("the names make no difference, so that the test would prove nothing")
	}

	m.IngestRenames(t, demotest.Renames, renamesPublished)
	joined := m.Build(t)
	if diff := cmp.Diff(want, whatever(t, m, joined)); diff != "" {
		t.Errorf("projections differ (-one name; +renamed):\n%s", diff)
	}
	whole := demotest.Checksums(t, m.Conn, joined)
	labels := column(t, m, "SELECT toString((run, serie, position, valid_from, valid_until)) FROM series_label WHERE "+
		"batch = $1 ORDER BY run, valid_from, serie", joined)
	if diff := cmp.Diff([]string{
		"(9809,'APV',2,'1970-01-01','2025-07-19')", "(9809,'B-VIEJA',3,'1970-01-01','2022-02-28')",
		"(9809,'B MEDIA',2,'2022-03-01','2024-05-14')",
		"(9809,'B',1,'2024-05-15','2149-06-06')", "(9809,'APV PLUS',1,'2025-07-20','2149-06-06')",
		"(9810,'VIV',2,'1970-01-01','2023-12-31')", "(9810,'VIVIENDA',1,'2024-01-01','2149-06-06')",
	}, labels); diff != "" {
		t.Errorf("names of renamed series:\n%s", diff)
	}
	known := column(t, m, "SELECT toString((serie, previous_serie, current_serie, first_current_date, "+
		"length(alias_ids))) FROM series WHERE batch = $1 AND notEmpty(alias_ids) ORDER BY serie", joined)
	if diff := cmp.Diff([]string{
		"('APV PLUS','APV','APV PLUS','2025-07-20',2)", "('B','B MEDIA','B','2024-05-15',3)",
		"('VIVIENDA','VIV','VIVIENDA','2024-01-01',2)",
	}, known); diff != "" {
		t.Errorf("what the series say of their renames:\n%s", diff)
	}

	t.Run("corrected", func(t *testing.T) {
		// One rename now has another name, one has another day, and one is withdrawn.
		m.IngestRenames(t, header(demotest.Renames)+rename("9809", "B MEDIA", "B NUEVA", "2024-05-15")+
			rename("9810", "VIV", "VIVIENDA", "2023-12-30")+
			rename("9809", "APV", "APV", "2025-07-20"), renamesPublished.AddDate(0, 0, 1))
		corrected := m.Build(t)
		got := column(t, m, "SELECT concat(previous_serie, '>', current_serie, ' ', reason) FROM series_rename WHERE "+
			"batch = $1 ORDER BY run, previous_serie", corrected)
		if diff := cmp.Diff([]string{"B MEDIA>B NUEVA ", "B-VIEJA>B MEDIA ", "VIV>VIVIENDA "}, got); diff != "" {
			t.Errorf("renames:\n%s", diff)
		}
		quota := func(serie, day string) string {
			return strings.Join(column(t, m, `
				SELECT toString(days.quota) FROM batch_series_day(batch = $1, series = [], all_series = true) AS days
				INNER JOIN registry ON registry.kind = 'series' AND registry.id = days.series_id
				WHERE run = 9810 AND serie = $2 AND date = $3`, corrected, serie, day), " ")
		}
		if got := quota("VIVIENDA", "2023-12-30"); got != "1" {
			t.Errorf("the quota of the day on which the new name is valid now is %s", got)
		}
		if got := quota("VIVIENDA", "2023-12-29"); got == "1" || got == "" {
			t.Errorf("the quota of the day before is %s", got)
		}
	})
	t.Run("taken back, all of them", func(t *testing.T) {
		m.IngestRenames(t, header(demotest.Renames)+rename("9809", "B MEDIA", "B MEDIA", "2024-05-15")+
			rename("9809", "B-VIEJA", "B-VIEJA", "2022-03-01")+
			rename("9810", "VIV", "VIV", "2023-12-30")+rename("9809", "APV", "APV", "2025-07-20"),
			renamesPublished.AddDate(0, 0, 2))
		if diff := cmp.Diff(before, demotest.Checksums(t, m.Conn, m.Build(t))); diff != "" {
			t.Errorf("projections differ (-before any rename; +taken back):\n%s", diff)
		}
	})
	t.Run("stated again, and the batches before stay as they were", func(t *testing.T) {
		m.IngestRenames(t, strings.Replace(demotest.Renames, "/r/1,", "/r/9,", 1), renamesPublished.AddDate(0, 0, 3))
		again := m.Build(t)
		if diff := cmp.Diff(whole, demotest.Checksums(t, m.Conn, again)); diff != "" {
			t.Errorf("projections differ (-first time; +again):\n%s", diff)
		}
		if diff := cmp.Diff(whole, demotest.Checksums(t, m.Conn, joined)); diff != "" {
			t.Errorf("the first batch with the renames differs now:\n%s", diff)
		}
		if diff := cmp.Diff(before, demotest.Checksums(t, m.Conn, apart)); diff != "" {
			t.Errorf("the batch without renames differs now:\n%s", diff)
		}
	})
	t.Run("stated before the quotes, which come in another order", func(t *testing.T) {
		m := demotest.New(t)
		m.IngestRenames(t, demotest.Renames, renamesPublished)
		m.Build(t) // the names of these renames are not known yet
		sources := demotest.RenamedDemo(t, false)
		random := rand.New(rand.NewPCG(3, 4))
		random.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
		var batch uint64
		for i, source := range sources {
			m.Ingest(t, source.Dataset, source.Path, source.Published)
			if i == len(sources)/2 || i == len(sources)-1 {
				batch = m.Build(t)
			}
		}
		if diff := cmp.Diff(whole, demotest.Checksums(t, m.Conn, batch)); diff != "" {
			t.Errorf("projections differ (-renames last; +first, by increments):\n%s", diff)
		}
		if diff := cmp.Diff(whole, demotest.Checksums(t, m.Conn, m.Rebuild(t))); diff != "" {
			t.Errorf("projections differ (-renames last; +rebuild):\n%s", diff)
		}
	})
}

// header returns the first line of a file, with its line break.
func header(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line + "\n"
}

func rename(run, previous, current, first string) string {
	return strings.Join([]string{"rename", run, previous, current, first, "https://example.org/x",
		strings.Repeat("0123456789abcdef", 4)}, ",") + "\n"
}

// randomRenames draws funds whose names change in all valid ways, and in invalid ones.
func randomRenames(random *rand.Rand) (rows []cartolaDay, renames []oracle.Rename) {
	first := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return first.AddDate(0, 0, n) }
	quotes := func(run int, serie string, from, to int) {
		for n := from; n < to; n += 1 + random.IntN(3) {
			rows = append(rows, cartolaDay{run: run, serie: serie, day: day(n), quota: float64(1 + random.IntN(1000)),
				equity: 50})
		}
	}
	for run := 100; run < 260; run++ {
		// A valid chain of names. After that, something may be made invalid.
		names := []string{"A", "B", "C", "D", "E"}[:2+random.IntN(4)]
		at := 0
		for i, name := range names {
			until := at + 15 + random.IntN(25)
			if random.IntN(5) > 0 {
				quotes(run, name, max(0, at-random.IntN(6)), until+random.IntN(6))
			}
			if i+1 < len(names) {
				renames = append(renames, oracle.Rename{Run: run, Previous: name, Current: names[i+1],
					From: day(until)})
			}
			at = until
		}
		wrong := len(renames) - 1 - random.IntN(len(names)-1)
		switch random.IntN(9) {
		case 0:
			renames = append(renames, oracle.Rename{Run: run, Previous: names[len(names)-1],
				Current: names[random.IntN(len(names)-1)], From: day(at)})
		case 1:
			renames = append(renames, oracle.Rename{Run: run, Previous: "Z", Current: renames[wrong].Current,
				From: day(9)})
			quotes(run, "Z", 0, 9)
		case 2:
			renames[wrong].From = day(random.IntN(180))
		case 3:
			quotes(run, names[0], 0, 3+random.IntN(60))
		case 4:
			quotes(run, names[len(names)-1], random.IntN(60), 60)
		}
	}
	for run, length := range map[int]int{300: 32, 301: 33, 302: 34, 303: 40} {
		for i := range length {
			name := func(i int) string { return fmt.Sprintf("N%d", i) }
			quotes(run, name(i), 3*i, 3*i+3)
			renames = append(renames, oracle.Rename{Run: run, Previous: name(i), Current: name(i + 1),
				From: day(3*i + 3)})
		}
	}
	return rows, renames
}

func TestRenamesAndWhatTheyJoinEqualTheOracle(t *testing.T) {
	t.Parallel()
	rows, renames := randomRenames(rand.New(rand.NewPCG(5, 6)))
	m := demotest.New(t)
	path := cartolaOf(t, rows)
	m.Ingest(t, model.Cartola, path, renamesPublished)
	text := header(demotest.Renames)
	for _, r := range renames {
		text += rename(fmt.Sprint(r.Run), r.Previous, r.Current, r.From.Format(time.DateOnly))
	}
	m.IngestRenames(t, text, renamesPublished)
	batch := m.Build(t)
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}

	reasons, judged := map[string]int{}, map[string]bool{}
	for _, row := range column(t, m,
		"SELECT concat(toString(run), ' ', previous_serie, '>', current_serie, ': ', reason) FROM series_rename "+
			"WHERE batch = $1", batch) {
		judged[row] = true
	}
	for r, want := range market.Refusals(renames) {
		if row := fmt.Sprintf("%d %s>%s: %s", r.Run, r.Previous, r.Current, want); !judged[row] {
			t.Errorf("not so: %s", row)
		}
		reasons[want]++
	}
	if len(judged) != len(renames) || len(reasons) != 7 || reasons[""] < 100 {
		t.Errorf("the renames do not cover the reasons: %v", reasons)
	}
	t.Logf("renames by reason: %v", reasons)

	joined := market.Join(renames)
	got := map[oracle.Series]map[string]float64{}
	found, err := m.Conn.Query(t.Context(), `
		SELECT run, serie, toString(date), toFloat64(quota) FROM batch_series_day(batch = $1, series = [], all_series = true) AS days
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = days.series_id`, batch)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var run uint32
		var serie, day string
		var quota *float64
		if err := found.Scan(&run, &serie, &day, &quota); err != nil {
			t.Fatal(err)
		}
		key := oracle.Series{Run: int(run), Name: serie}
		if got[key] == nil {
			got[key] = map[string]float64{}
		}
		got[key][day] = *quota
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	want := map[oracle.Series]map[string]float64{}
	for _, series := range joined.Series() {
		want[series] = joined.Quotas(series)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("quotas (-independent; +series_day):\n%.3000s", diff)
	}
}
