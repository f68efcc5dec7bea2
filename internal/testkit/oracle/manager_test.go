package oracle

import (
	"fmt"
	"testing"
)

func TestManagersCountInPesosWhatARateConverts(t *testing.T) {
	m := New()
	add := func(manager, fund int, serie, day, moneda string, equity float64, holders int) {
		m.Add(Row{Run: fund, Serie: serie, Day: on(t, day), Moneda: moneda, Quota: 1, Equity: equity, Manager: manager,
			Shareholders: holders})
	}
	add(1, 10, "A", "2025-06-09", "$$", 100, 3)
	add(1, 10, "B", "2025-06-09", "PROM", 2, 4)
	add(1, 11, "A", "2025-06-09", "EUR", 5, 1)
	add(2, 20, "A", "2025-06-09", "PROM", 1, 8)
	add(2, 20, "B", "2025-06-01", "$$", 1e9, 1) // eight days before
	add(3, 30, "A", "2025-06-08", "$$", 1e9, 1)
	m.Void(30, "A", on(t, "2025-06-09"))
	names := map[int]string{1: "B", 2: "A"}
	show := func(day string, dolar Dolar, byShareholders bool) (text string) {
		for _, of := range m.RankManagers(on(t, day), dolar, byShareholders, names) {
			patrimony := "none"
			if of.Patrimony != nil {
				patrimony = fmt.Sprint(*of.Patrimony)
			}
			text += fmt.Sprintf("%d: %d %s %d of %d funds, %d; ", of.Rank, of.Manager, patrimony, of.Shareholders,
				of.Funds, of.Unconverted)
		}
		return text
	}
	rated, old := Dolar{"2025-06-02": 950}, Dolar{"2025-06-01": 950}
	for _, c := range []struct{ got, want string }{
		{show("2025-06-09", rated, false), "1: 1 2000 8 of 2 funds, 1; 2: 2 950 8 of 1 funds, 0; "},
		{show("2025-06-09", rated, true), "1: 2 950 8 of 1 funds, 0; 2: 1 2000 8 of 2 funds, 1; "}, // a tie, by name
		{show("2025-06-09", old, false), "1: 1 100 8 of 2 funds, 2; 2: 2 none 8 of 1 funds, 1; "},
		{show("2025-05-31", rated, false), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	// The 1st was the very first day. On the 8th the only series has no row.
	if days := m.LastCompleteDays(rated); len(days) != 1 || iso(days[0]) != "2025-06-01" {
		t.Errorf("%v", days)
	}
}

func TestTheNewestRowOfTheDayOrOfSevenDaysBeforeStandsForASeries(t *testing.T) {
	m := New()
	add := func(fund int, serie, day, moneda string, equity float64) {
		m.Add(Row{Run: fund, Serie: serie, Day: on(t, day), Moneda: moneda, Quota: 1, Equity: equity, Manager: 1,
			Shareholders: 1})
		m.Classify(Classification{Run: fund, Serie: serie, Day: on(t, "2025-01-31"), Family: "F", Category: "equity"})
	}
	add(10, "DAILY", "2025-06-08", "$$", 1)
	add(10, "DAILY", "2025-06-09", "$$", 2)
	add(10, "SEVEN", "2025-06-02", "$$", 10)
	add(11, "EIGHT", "2025-06-01", "$$", 100)
	add(11, "VOID", "2025-06-08", "$$", 1000)
	m.Void(11, "VOID", on(t, "2025-06-09")) // an older row does not replace it
	add(12, "DOLAR", "2025-06-05", "PROM", 10)
	add(13, "ENDED", "2025-06-08", "$$", 10000)
	m.Ended(13, on(t, "2025-06-09"))
	add(14, "ENDED LATER", "2025-06-08", "$$", 40)
	m.Ended(14, on(t, "2025-06-10"))
	add(15, "ENDED, YET QUOTED", "2025-06-09", "$$", 80)
	m.Ended(15, on(t, "2025-06-07"))
	for i, exchanged := range map[int]string{16: "2025-06-09", 17: "2025-06-08", 18: "2025-06-10"} {
		add(i, "EXCHANGED", "2025-06-08", "$$", float64(100000*(i-15)))
		m.AddExchange(Exchange{Event: fmt.Sprint(i), Revision: 1, Origin: Series{i, "EXCHANGED"},
			Effective: on(t, exchanged), Valuation: on(t, exchanged), Factor: "1"})
	}
	// the series on the 17th had their quotas before the row of the 8th
	const pesos = 2 + 10 + 40 + 80 + 200000 + 300000
	of := m.Managers(on(t, "2025-06-09"), Dolar{"2025-06-05": 800, "2025-06-09": 900})[1]
	if *of.Patrimony != pesos+9000 || of.Shareholders != 7 || of.Funds != 6 {
		t.Errorf("%v pesos, %+v", *of.Patrimony, of)
	}
	family := m.FamilyDays(on(t, "2025-06-09"))
	if f := family[[2]string{"F", "PESOS"}]; f.Equity != pesos || f.Series != 6 || f.Funds != 5 || f.Eligible.Series != 1 {
		t.Errorf("%+v", f)
	}
	if f := family[[2]string{"F", "DOLAR"}]; f.Equity != 10 || f.Series != 1 || f.Previous != "" || f.Daily != nil {
		t.Errorf("nobody is quoted on the day: %+v", f)
	}
}

// The row of the 8th stands on the 9th and the 10th. A file of the 9th states another family.
func TestAnOlderRowStandsInTheFamilyOfTheDayOnWhichItStands(t *testing.T) {
	m := New()
	m.Add(Row{Run: 10, Serie: "A", Day: on(t, "2025-06-07"), Moneda: "$$", Quota: 1, Equity: 3, Manager: 1})
	m.Add(Row{Run: 10, Serie: "A", Day: on(t, "2025-06-08"), Moneda: "$$", Quota: 1, Equity: 5, Manager: 1})
	m.Classify(Classification{Run: 10, Serie: "A", Day: on(t, "2025-05-31"), Family: "F"})
	m.Classify(Classification{Run: 10, Serie: "A", Day: on(t, "2025-06-09"), Family: "G"})
	for day, want := range map[string]string{"2025-06-08": "F", "2025-06-09": "G", "2025-06-10": "G"} {
		families := m.FamilyDays(on(t, day))
		if f := families[[2]string{want, "PESOS"}]; len(families) != 1 || f.Equity != 5 || f.Series != 1 {
			t.Errorf("%s: %+v", day, families)
		}
	}
}
