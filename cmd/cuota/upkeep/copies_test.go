package upkeep_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"

	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/upkeep"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/projector/inspect"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// ask returns the only value of a query.
func ask[T any](t *testing.T, m *demotest.Market, query string, args ...any) (value T) {
	t.Helper()
	if err := m.Conn.QueryRow(context.Background(), query, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// change runs statements on the tables of a copy.
func change(t *testing.T, m *demotest.Market, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		m.Change(t, statement)
	}
}

// addressOf returns the address of a database as CUOTA_CLICKHOUSE has it.
func addressOf(m *demotest.Market) string {
	auth := m.Options.Auth
	return fmt.Sprintf("clickhouse://%s:%s@%s/%s", auth.Username, url.QueryEscape(auth.Password), m.Options.Addr[0],
		auth.Database)
}

// copies runs cuota copies and returns what it writes.
func copies(t *testing.T, s environment.Settings, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	command := upkeep.NewCopies(s)
	command.SetArgs(append([]string{}, args...)) // without any, cobra would take those of the test
	command.SetOut(&out)
	command.SilenceErrors, command.SilenceUsage = true, true
	err := command.ExecuteContext(t.Context())
	return out.String(), err
}

// builtCopies returns two copies that have published the same two batches, of which the second has built other days
// than the first. The numbers of their batches differ. Their projectors have stopped.
func builtCopies(t *testing.T) (here, there *demotest.Market) {
	t.Helper()
	both := demotest.Copies(t, time.Millisecond, "a", "b")
	change(t, both[1], "INSERT INTO batch_attempt (batch, started_at) VALUES (5, now64())")
	for _, m := range both {
		if err := m.Projector().Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, path := range []string{"20191014_20191231", "20200101_20201231"} {
		both[0].Ingest(t, model.Cartola, "../../../demo/files/cartola/cartola_9809_9810_"+path+".txt", demotest.Clock)
		for _, m := range both {
			waittest.Until(t, "the file is part of a batch", func() bool {
				return ask[uint64](t, m, "SELECT uniqExact(sha256) FROM batch_file(batch = (SELECT max(batch) FROM batch))") ==
					uint64(i+1)
			})
		}
	}
	for _, m := range both {
		if err := m.Projector().Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return both[0], both[1]
}

func TestEachRowThatDiffersBetweenTwoCopiesIsNamed(t *testing.T) {
	t.Parallel()
	here, there := builtCopies(t)
	settings := environment.Settings{ClickHouse: addressOf(here), ClickHouseOther: addressOf(there), LogLevel: "error"}
	newest := func(m *demotest.Market) uint64 { return ask[uint64](t, m, "SELECT max(batch) FROM batch") }
	if newest(here) == newest(there) {
		t.Fatal("both copies have the same numbers: this proves little")
	}
	head := fmt.Sprintf("batch %s: number %d here, %d there\n", ask[string](t, here, "SELECT batch_id FROM published"),
		newest(here), newest(there))
	tables := ask[uint64](t, here, "SELECT countIf(NOT endsWith(table, '_version')) FROM built_table")
	if out, err := copies(t, settings, "diff"); err != nil || out != head+fmt.Sprintf("all rows of %d tables are equal\n", tables) {
		t.Fatalf("equal copies give %q and %v", out, err)
	}

	id := ask[uint32](t, here, "SELECT min(series_id) FROM screener WHERE batch = $1", newest(here))
	day := ask[string](t, here, "SELECT toString(min(date)) FROM series_day WHERE series_id = $1", id)
	gone := ask[string](t, here, "SELECT toString(max(date)) FROM market_day WHERE series_id = $1", id)
	price := ask[string](t, here, "SELECT toString(price) FROM screener WHERE series_id = $1 AND batch = $2", id, newest(here))
	quota := ask[string](t, here, "SELECT toString(quota) FROM series_day WHERE series_id = $1 AND date = $2", id, day)
	change(t, there,
		fmt.Sprintf("ALTER TABLE screener UPDATE price = 7 WHERE series_id = %d AND batch = %d SETTINGS mutations_sync = 2",
			id, newest(there)),
		fmt.Sprintf("ALTER TABLE screener UPDATE price = 8 WHERE batch != %d SETTINGS mutations_sync = 2", newest(there)),
		fmt.Sprintf("ALTER TABLE series_day UPDATE quota = 9, equity = NULL WHERE series_id = %d AND date = '%s' "+
			"SETTINGS mutations_sync = 2", id, day),
		fmt.Sprintf("ALTER TABLE market_day DELETE WHERE series_id = %d AND date = '%s' SETTINGS mutations_sync = 2", id,
			gone))
	for _, statement := range []string{
		"INSERT INTO manager_day SELECT * REPLACE (1 AS manager_rut) FROM manager_day WHERE date = '2020-12-30' LIMIT 1",
		fmt.Sprintf("INSERT INTO window_target SELECT * FROM window_target WHERE batch = %d AND window = '1m'", newest(there)),
	} {
		if err := there.Conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	equity := ask[string](t, here, "SELECT toString(equity) FROM series_day WHERE series_id = $1 AND date = $2", id, day)
	out, err := copies(t, settings, "diff")
	if !errors.Is(err, exit.ErrDiffering) || !strings.Contains(err.Error(), fmt.Sprintf("in 5 of %d tables", tables)) {
		t.Errorf("the command ends with %v", err)
	}
	want := head + strings.Join([]string{
		"manager_day: rows with other values: 0, only here: 0, only there: 1",
		"  date 2020-12-30, manager_rut 1, currency PESOS: only there: …",
		"market_day: rows with other values: 0, only here: 1, only there: 0",
		fmt.Sprintf("  date %s, series_id %d: only here: …", gone, id),
		"screener: rows with other values: 1, only here: 0, only there: 0",
		fmt.Sprintf("  series_id %d: price is %s here and 7 there", id, price),
		"series_day: rows with other values: 1, only here: 0, only there: 0",
		fmt.Sprintf("  date %s, series_id %d: quota is %s here and 9 there; equity is %s here and null there", day, id,
			quota, equity),
		"window_target: rows with other values: 0, only here: 0, only there: 1",
		"  window 1m: only there: …",
	}, "\n") + "\n"
	var lines []string
	for line := range strings.Lines(out) {
		if before, values, found := strings.Cut(line, ": only "); found && strings.HasPrefix(line, "  ") {
			where, values, _ := strings.Cut(values, ": ")
			if len(values) < 20 {
				t.Errorf("a row that one copy has is shown as %q", values)
			}
			line = before + ": only " + where + ": …\n"
		}
		lines = append(lines, line)
	}
	if diff := cmp.Diff(want, strings.Join(lines, "")); diff != "" {
		t.Errorf("what is printed (-want, +got):\n%s\nall of it:\n%s", diff, out)
	}
}

func TestCopiesThatCannotBeComparedFail(t *testing.T) {
	t.Parallel()
	empty, other := demotest.Copies(t, time.Millisecond, "a", "b"), environment.Settings{}
	one := addressOf(empty[0])
	for reason, s := range map[string]environment.Settings{
		"set CUOTA_CLICKHOUSE to":        other,
		"set CUOTA_CLICKHOUSE_OTHER to":  {ClickHouse: one},
		"CUOTA_CLICKHOUSE_OTHER is not":  {ClickHouse: one, ClickHouseOther: "postgres://user:secret@host/cuota"},
		"name the same database":         {ClickHouse: one, ClickHouseOther: one},
		"keep no batch of the same name": {ClickHouse: one, ClickHouseOther: addressOf(empty[1])},
	} {
		_, err := copies(t, s, "diff")
		if err == nil || !strings.Contains(err.Error(), reason) || errors.Is(err, exit.ErrDiffering) {
			t.Errorf("%s: %v", reason, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the password is in %q", err)
		}
	}
}

// Here SQL compares the rows of both databases, which are on one server, as whole rows and by their keys.
func TestTheRowsThatDifferAreCountedAsSQLCountsThem(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	here, there := builtCopies(t)
	change(t, there,
		"ALTER TABLE series_day UPDATE quota = quota + 1 WHERE cityHash64(date) % 3 = 0 SETTINGS mutations_sync = 2",
		"ALTER TABLE series_day DELETE WHERE cityHash64(date, series_id) % 5 = 0 SETTINGS mutations_sync = 2",
		"ALTER TABLE market_day DELETE WHERE date < '2020-01-01' SETTINGS mutations_sync = 2",
		"ALTER TABLE series_month DELETE WHERE month > '2020-06-01' SETTINGS mutations_sync = 2",
		"ALTER TABLE manager_day UPDATE equity = equity + 1 WHERE true SETTINGS mutations_sync = 2")
	change(t, here, "ALTER TABLE series_day DELETE WHERE cityHash64(date, series_id) % 7 = 0 SETTINGS mutations_sync = 2")
	id, a, b, err := inspect.Shared(t.Context(), here.Conn, there.Conn)
	if err != nil || id != ask[string](t, here, "SELECT batch_id FROM published") {
		t.Fatalf("%s, %v", id, err)
	}
	found, _, err := inspect.Compare(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range found {
		names = append(names, table.Table)
		rows := func(m *demotest.Market, batch uint64, columns string) string {
			database := m.Options.Auth.Database
			where := fmt.Sprintf("(date, build) IN (SELECT date, max(build) FROM %s.%s GROUP BY date)", database,
				map[bool]string{true: "series_day_version", false: "market_day_version"}[table.Table == "series_day"])
			if table.Table == "series_month" {
				where = fmt.Sprintf("batch = %d", batch)
			}
			return fmt.Sprintf("SELECT %s FROM %s.%s WHERE %s", columns, database, table.Table, where)
		}
		only := func(columns string) (inHere, inThere uint64) {
			x, y := rows(here, a.Batch, columns), rows(there, b.Batch, columns)
			return ask[uint64](t, here, "SELECT count() FROM ("+x+" EXCEPT ALL "+y+")"),
				ask[uint64](t, here, "SELECT count() FROM ("+y+" EXCEPT ALL "+x+")")
		}
		keysHere, keysThere := only(strings.Join(table.Key, ", "))
		rowsHere, rowsThere := only(strings.Join(table.Columns, ", "))
		if table.Here != keysHere || table.There != keysThere || table.Changed != rowsHere-keysHere ||
			table.Changed != rowsThere-keysThere {
			t.Errorf("%s: %d changed, %d here, %d there; keys %d and %d, rows %d and %d", table.Table, table.Changed,
				table.Here, table.There, keysHere, keysThere, rowsHere, rowsThere)
		}
		wantFirstRows(t, table)
	}
	if want := []string{"manager_day", "market_day", "series_day", "series_month"}; !slices.Equal(names, want) {
		t.Errorf("tables %q, want %q", names, want)
	}
}

// wantFirstRows fails if more or fewer rows of a kind are returned than there should be, or not the first ones.
func wantFirstRows(t *testing.T, table inspect.TableDifference) {
	t.Helper()
	shown, last := [3]uint64{}, ""
	for _, row := range table.Rows {
		kind, text := 0, row[0]
		switch {
		case row[0] == "":
			kind, text = 1, row[1]
		case row[1] == "":
			kind = 2
		}
		shown[kind]++
		var values map[string]any
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			t.Fatal(err)
		}
		if day, is := values["date"].(string); is && day < last {
			t.Errorf("%s: %s is after %s", table.Table, day, last)
		} else if is {
			last = day
		}
	}
	for kind, count := range []uint64{table.Changed, table.There, table.Here} {
		if want := min(count, inspect.MostShown); shown[kind] != want {
			t.Errorf("%s: %d rows of kind %d are shown of %d", table.Table, shown[kind], kind, count)
		}
	}
}

func TestCopiesShowWhatEachHasAnnouncedAndWhereItDiffers(t *testing.T) {
	t.Parallel()
	m := demotest.Copies(t, time.Millisecond, "a")[0]
	settings := environment.Settings{ClickHouse: addressOf(m), Copy: "a", LogLevel: "error"}
	want := "no copy has announced a plan yet\n\nthere is no plan yet\nthis copy, a, has published no batch yet\n"
	if out, err := copies(t, settings); err != nil || out != want {
		t.Errorf("an empty log gives %q and %v", out, err)
	}
	if err := m.Projector().Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, model.Cartola, "../../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt", demotest.Clock)
	waittest.Until(t, "a batch is published", func() bool { return ask[uint64](t, m, "SELECT count() FROM batch") == 1 })
	tables := ask[[]string](t, m, "SELECT arrayMap(t -> toString(t), tables) FROM plan_built")
	sums := ask[[]uint64](t, m, "SELECT checksums FROM plan_built")
	at := time.Date(2026, 8, 20, 16, 0, 0, 0, time.UTC)
	announce := func(name string, tables []string, sums []uint64) {
		t.Helper()
		at = at.Add(time.Minute)
		value, err := json.Marshal(model.BatchRecord{Built: &model.BatchBuilt{Plan: 1, Copy: name,
			BuiltAt: at.UnixMilli(),
			Tables:  tables, Checksums: sums}})
		if err != nil {
			t.Fatal(err)
		}
		m.Send(t, model.BatchesTopic, kafka.Message{Value: value})
	}
	other := slices.Clone(sums)
	other[1]++
	announce("", nil, nil)               // 16:01
	announce("b", tables[1:], other[1:]) // 16:02; it lacks the first table
	announce("c", tables, other)         // 16:03
	announce("c", tables, sums)          // 16:04; it was built again
	m.Settle(t)
	if out, err := copies(t, settings); err != nil || !strings.Contains(out, "not known") {
		t.Errorf("without the address of Kafka it gives %q and %v", out, err)
	}
	settings.Kafka = m.Kafka()
	m.RunProgram(t, "b", "rules of another version")
	var out string
	waittest.Until(t, "the program of copy b has joined", func() bool {
		var err error
		if out, err = copies(t, settings); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(out, "other rules")
	})
	published := ask[time.Time](t, m, "SELECT built_at FROM plan_built WHERE copy = 'a'").UTC().Format(time.RFC3339)
	planned := ask[time.Time](t, m, "SELECT planned_at FROM batch_plan").UTC().Format(time.RFC3339)
	var got []string
	for line := range strings.Lines(out) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff([]string{
		"copy program plans last plan answers from behind differs in",
		"(without a name) none runs 1 1 2026-08-20T16:01:00Z 0 none",
		"a same rules 1 1 " + published + " 0 none",
		fmt.Sprintf("b other rules 1 1 2026-08-20T16:02:00Z 0 plan 1, in %s, %s (copy a was first)", tables[0], tables[1]),
		"c none runs 1 1 2026-08-20T16:04:00Z 0 none",
		"",
		"last plan: 1, planned " + planned + " by copy a",
		"this copy, a, has published plan 1 as batch " + ask[string](t, m, "SELECT batch_id FROM batch") + " (number 1 here)",
	}, got); diff != "" {
		t.Errorf("the table (-want, +got):\n%s", diff)
	}

	out, err := copies(t, environment.Settings{ClickHouse: addressOf(m), LogLevel: "error"}, "--json")
	var told struct {
		Copies []struct {
			Copy      string `json:"copy"`
			Behind    int    `json:"behind"`
			Differing []struct {
				Plan   int      `json:"plan"`
				First  string   `json:"first_copy"`
				Tables []string `json:"tables"`
			} `json:"differing"`
		} `json:"copies"`
		Copy     string `json:"copy"`
		LastPlan struct {
			Plan int `json:"plan"`
		} `json:"last_plan"`
		Published struct {
			Plan int `json:"plan"`
		} `json:"published"`
	}
	if err := errors.Join(err, json.Unmarshal([]byte(out), &told)); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if told.Copy != "" || told.LastPlan.Plan != 1 || told.Published.Plan != 1 || len(told.Copies) != 4 ||
		told.Copies[0].Copy != "" || told.Copies[2].Copy != "b" || len(told.Copies[2].Differing) != 1 ||
		told.Copies[2].Differing[0].First != "a" || !slices.Equal(told.Copies[2].Differing[0].Tables, tables[:2]) {
		t.Errorf("programs get %s", out)
	}
}
