package synth

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/model"
)

// december returns a market whose last file is a whole month of the size of the real one. With
// go test -short it is a tenth of that.
func december(t *testing.T) (dir, name string, e Expected) {
	t.Helper()
	config := Config{Series: 3150, Days: 92, Seed: 14, End: model.NewDate(2025, time.December, 31)}
	if testing.Short() {
		config.Series /= 10
	}
	dir, e = written(t, config)
	return dir, "cartola/ffmm_sintetico_20251201_20251231.txt", e
}

func TestAWholeMonthIsTakenInFull(t *testing.T) {
	dir, name, e := december(t)
	out := &recorder{topics: map[string][]ingest.Message{}}
	clock := func() time.Time { return time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC) }
	ingester := ingest.New(archive.New(filepath.Join(t.TempDir(), "archive"), clock), out, zerolog.Nop())
	report, err := ingester.File(t.Context(), ingest.Request{
		Dataset: model.Cartola, Path: filepath.Join(dir, filepath.FromSlash(name)), Published: e.Last.AddDays(1).Time(),
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := lines(t, dir, name)
	least := 90_000
	if testing.Short() {
		least /= 10
	}
	if report.Refused || report.Rejected != 0 || int(report.Read) != len(rows) || len(rows) < least {
		t.Fatalf("refused %t; %d of %d rows read, %d rejected: %+v", report.Refused, report.Read, len(rows),
			report.Rejected, report.FirstRejects)
	}
	// Each row has become its event, with its numbers.
	stated := map[string][]string{}
	for _, line := range rows {
		f := strings.Split(line, ";")
		stated[f[2]+";"+f[3]+";"+f[8]] = f
	}
	for _, message := range out.topics[model.Cartola.Topic()] {
		var got struct {
			RUN    json.Number `json:"run"`
			Date   model.Date  `json:"date"`
			Serie  string      `json:"serie"`
			Quota  json.Number `json:"quota"`
			Equity json.Number `json:"equity"`
		}
		if err := json.Unmarshal(message.Value, &got); err != nil {
			t.Fatal(err)
		}
		key := got.RUN.String() + ";" + compact(got.Date) + ";" + got.Serie
		f := stated[key]
		if f == nil || atof(t, f[12]) != atof(t, got.Quota.String()) || atof(t, f[13]) != atof(t, got.Equity.String()) {
			t.Fatalf("%s became %s, the file has %v", key, message.Value, f)
		}
		delete(stated, key)
	}
	if len(stated) > 0 {
		t.Errorf("%d rows became no event", len(stated))
	}
}

// The shapes are those that the regulator's months have (docs/formats.md tells what ingest does with
// them), with about their shares.
func TestAWholeMonthHasTheShapesOfTheRegulatorsFile(t *testing.T) {
	dir, name, _ := december(t)
	seen := map[string]float64{}
	type series struct{ run, serie string }
	type fundDay struct{ run, date string }
	type state struct{ units, quota, contributed, redeemed float64 }
	before := map[series]state{}
	stated := map[fundDay][2]string{} // assets and amount in other funds
	equity := map[fundDay]float64{}
	factors := map[fundDay]map[string]bool{}
	var runs []string
	order := map[fundDay][]string{}
	for _, line := range lines(t, dir, name) {
		f := strings.Split(line, ";")
		rows := func(what string) { seen[what]++ }
		rows("rows")
		if len(f) != 25 {
			t.Fatalf("%d columns: %s", len(f), line)
		}
		at, of := fundDay{f[2], f[3]}, series{f[2], f[8]}
		if len(runs) == 0 || runs[len(runs)-1] != at.run {
			runs = append(runs, at.run)
		}
		order[at] = append(order[at], f[8])
		units, quota, contributed, redeemed := atof(t, f[11]), atof(t, f[12]), atof(t, f[9]), atof(t, f[10])
		for _, field := range f[9:23] {
			if strings.HasPrefix(field, ".") {
				rows("numbers without a zero before the point")
			}
			if strings.Contains(field, ".") && strings.HasSuffix(field, "0") {
				t.Errorf("%s has a zero at its end", field)
			}
		}
		if was, known := stated[at]; known && was != [2]string{f[4], f[7]} {
			t.Errorf("%v states %v and %v", at, was, f[4:8])
		}
		stated[at] = [2]string{f[4], f[7]}
		equity[at] += atof(t, f[13])
		_, decimals, _ := strings.Cut(f[7], ".")
		switch {
		case f[7] == "0":
			rows("nothing in other funds")
		case f[7] == "1":
			rows("1 in other funds")
		case f[5] == "PROM" && len(decimals) == 2:
			rows("dollars and cents in other funds")
		case len(decimals) == 4:
			rows("amounts with four decimals in other funds")
		case decimals == "":
			rows("whole amounts in other funds")
		}
		was, known := before[of]
		if known && math.Abs(was.units+contributed-redeemed-units) > 1e-5*math.Max(1, units) {
			// A series may leave out days, and a factor de ajuste multiplies units.
			rows("units that do not follow from the day before")
		}
		if known && was.units == 0 && units == 0 && quota != was.quota {
			t.Errorf("%v: the quota of an empty series moves from %v to %v on %s", of, was.quota, quota, at.date)
		}
		before[of] = state{units, quota, contributed, redeemed}
		if math.Abs(atof(t, f[13])-units*quota) > .51+(units+contributed+redeemed)*5e-5 {
			t.Errorf("%v: equity %s of %v units at %v", at, f[13], units, quota)
		}
		if units == 0 {
			rows("empty series")
			if atof(t, f[4]) == 1 {
				rows("assets of 1 without a holder")
			}
		}
		date, err := time.Parse("20060102", f[3])
		if err != nil {
			t.Fatal(err)
		}
		business := func(date time.Time) bool {
			day := date.Format("01-02")
			return date.Weekday() != time.Saturday && date.Weekday() != time.Sunday && day != "12-08" &&
				day != "12-25" && day != "01-01"
		}
		open, due := business(date), business(date.AddDate(0, 0, 1))
		switch {
		case contributed > 0 && !open && contributed != units:
			rows("contributions on a day that is none of business")
		case redeemed > 0 && !open && !due && units > 0:
			rows("redemptions on a day in the middle of a weekend")
		case redeemed > 0 && !open && units > 0:
			rows("redemptions on the eve of a business day")
			if redeemed/(units+redeemed) > .3 {
				rows("redemptions of a third of the units and more")
			}
		case contributed > 0 && open && !due && redeemed == 0:
			rows("contributions on a Friday without redemptions")
		}
		if f[17] == "0" && (f[19] != "0" || f[20] != "0") {
			rows("expenses and no fee")
		}
		if f[18] != "0" {
			rows("fees on the gain")
		}
		if atof(t, f[19]) > atof(t, f[17]) && f[17] != "0" {
			rows("lumps of expenses")
		}
		if f[22] != "0" {
			rows("commissions on redemptions")
		}
		if f[24] != "" {
			rows("factors of distribution")
			if factor := atof(t, f[24]); factor <= 1 || factor > 1.05 {
				t.Errorf("%v has the factor %s", of, f[24])
			}
			if factors[at] == nil {
				factors[at] = map[string]bool{}
			}
			factors[at][f[24]] = true
		}
		if strings.Contains(f[1], "  ") {
			rows("names with two spaces")
		}
		if f[8] == model.SoleSerie {
			rows("funds with one series")
		}
		if f[6] == "S" {
			rows("funds with institutions")
		}
		if f[5] == "PROM" {
			rows("dollars")
		}
	}
	if !slices.IsSorted(runs) || len(slices.Compact(slices.Sorted(slices.Values(runs)))) != len(runs) {
		t.Error("the rows are not sorted by RUN")
	}
	for at, sum := range equity {
		assets := atof(t, stated[at][0])
		if sum == 0 && assets > 1 {
			seen["frozen assets without a holder"]++
		}
		if assets < sum-.5 && sum > 1 {
			t.Errorf("%v: assets %v below the equity %v", at, assets, sum)
		}
		if invested := atof(t, stated[at][1]); invested > assets {
			t.Errorf("%v: %v in other funds, assets %v", at, invested, assets)
		}
		seen["fund days"]++
		if next, known := order[fundDay{at.run, nextDay(t, at.date)}]; known && len(next) == len(order[at]) &&
			!slices.Equal(next, order[at]) {
			seen["fund days in another order"]++
		}
	}
	for _, different := range factors {
		if len(different) > 1 {
			seen["days with different factors of one fund"]++
		}
	}
	rows := seen["rows"]
	least := map[string]float64{
		"nothing in other funds": .3, "dollars and cents in other funds": .01,
		"amounts with four decimals in other funds": .02, "whole amounts in other funds": .2, "empty series": .04,
		"numbers without a zero before the point": .001, "redemptions on the eve of a business day": .02,
		"redemptions of a third of the units and more": .0005, "contributions on a Friday without redemptions": .02,
		"expenses and no fee": .001, "fees on the gain": .001, "lumps of expenses": .002,
		"commissions on redemptions": .001,
		"factors of distribution":    .0001, "names with two spaces": .1, "funds with one series": .001,
		"funds with institutions": .3,
		"dollars":                 .02, "fund days in another order": .01,
	}
	if !testing.Short() { // a tenth of the market need not have them
		maps.Copy(least, map[string]float64{
			"1 in other funds": .0005, "assets of 1 without a holder": 1e-5, "frozen assets without a holder": 1e-5,
			"days with different factors of one fund": 1e-5,
		})
	}
	for what, share := range least {
		if seen[what] < share*rows {
			t.Errorf("%s: %v of %v rows, want at least %v", what, seen[what], rows, share*rows)
		}
	}
	amounts := rows - seen["nothing in other funds"] - seen["1 in other funds"]
	if amounts < .3*rows {
		t.Errorf("%v of %v rows have an amount in other funds", amounts, rows)
	}
	for _, what := range []string{"contributions on a day that is none of business",
		"redemptions on a day in the middle of a weekend"} {
		if seen[what] > 0 {
			t.Errorf("%s: %v rows", what, seen[what])
		}
	}
	if follow := seen["units that do not follow from the day before"]; follow > .001*rows {
		t.Errorf("the units of %v rows do not follow from those of the day before", follow)
	}
	t.Logf("%v", seen)
}

func nextDay(t *testing.T, compact string) string {
	t.Helper()
	date, err := time.Parse("20060102", compact)
	if err != nil {
		t.Fatal(err)
	}
	return date.AddDate(0, 0, 1).Format("20060102")
}
