package receipts

import (
	"strings"
	"testing"
	"time"

	"cuota/model"
	"cuota/query/receipt"
)

func day(t *testing.T, text string) *model.Date {
	t.Helper()
	date, err := model.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return &date
}

func lineOf(serie, value, sha256 string, number uint32, published int) receipt.Line {
	return receipt.Line{Dataset: "cartola", File: new("c.txt"), SHA256: sha256, Line: number, Serie: &serie,
		Value: &value, Published: time.Date(2025, time.January, published, 0, 0, 0, 0, time.UTC)}
}

// The reasons follow the order of lines of RULES 1: valid name, newer name, publication, hash, line.
func TestALineThatDoesNotCountHasItsReason(t *testing.T) {
	names := []receipt.Name{{Serie: "NEW", From: day(t, "2025-01-05")}, {Serie: "OLD", Until: day(t, "2025-01-08")},
		{Serie: "OLDEST", Until: day(t, "2025-01-08")}}
	for _, of := range []struct {
		on             string
		line, counting receipt.Line
		want           string
	}{
		{"2025-01-10", lineOf("OLD", "1", "b", 9, 9), lineOf("NEW", "2", "a", 1, 1),
			"because the series was not called OLD on that day"},
		{"2025-01-02", lineOf("NEW", "1", "b", 9, 9), lineOf("OLD", "2", "a", 1, 1),
			"because the series was not called NEW on that day"},
		{"2025-01-06", lineOf("OLD", "1", "b", 9, 9), lineOf("NEW", "2", "a", 1, 1),
			"because NEW is the newer name of the series"},
		{"2025-01-10", lineOf("NEW", "1", "b", 9, 1), lineOf("NEW", "2", "a", 1, 2),
			"because the line that counts has the later publication"},
		{"2025-01-10", lineOf("NEW", "1", "a", 9, 1), lineOf("NEW", "2", "b", 1, 1),
			"because the file of the line that counts has the same publication and the greater hash"},
		{"2025-01-10", lineOf("NEW", "1", "a", 1, 1), lineOf("NEW", "2", "a", 2, 1),
			"because the line that counts comes later in the same file"},
		{"2025-01-10", lineOf("NEW", "1", "a", 2, 2), lineOf("NEW", "2", "a", 1, 1), ""},
		{"2025-01-10", lineOf("NEW", "1", "b", 1, 1), lineOf("OLD", "2", "a", 1, 2), ""},
	} {
		given := &receipt.Input{Date: day(t, of.on)}
		if got := whyNot(names, given, &of.line, &of.counting); got != of.want {
			t.Errorf("%+v: %q, want %q", of.line, got, of.want)
		}
	}
	first, last := lineOf("NEW", "1", "a", 1, 1), lineOf("NEW", "1", "a", 2, 1)
	got := whyNot(names, &receipt.Input{Name: "factor", Date: day(t, "2025-01-10")}, &first, &last)
	if got != "because the file has two lines of factors for the day, so neither gives a factor" {
		t.Errorf("two factors of one file: %q", got)
	}
}

func dollars(t *testing.T) *receipt.Receipt {
	t.Helper()
	input := func(name, target, date, value, unit, file string) receipt.Input {
		counting, other := lineOf("B", value, "bbbb", 7, 2), lineOf("B", "1", "aaaa", 6, 1)
		counting.Counts, counting.File, other.Void = true, &file, true
		return receipt.Input{Name: name, Target: day(t, target), Date: day(t, date), Value: &value, Unit: unit,
			Lines: []receipt.Line{other, counting}}
	}
	made := &receipt.Receipt{
		Subject: receipt.Subject{Identity: receipt.Identity{Series: "1", RUN: "9809-4", Names: []receipt.Name{{Serie: "B"},
			{Serie: "A", Until: day(t, "2020-01-01")}}}, Field: "return", Date: *day(t, "2025-01-10"),
			Window: new("3y_ann"), Valuation: new("real_uf")},
		Unit: "fraction per year",
		Rule: receipt.Rule{ID: "rule", Text: strings.Repeat("words ", 30), SQL: "sql/rule.sql"},
		Inputs: []receipt.Input{
			input("end", "2025-01-10", "2025-01-09", "1234567.5", "DOLAR per quota", "a\x1b[2Jb.txt"),
			input("start", "2022-01-10", "2022-01-10", "999.25", "DOLAR per quota", strings.Repeat("long", 30)),
			input("end_fx", "2025-01-09", "2025-01-07", "1000.5", "PESOS per DOLAR", "d.csv"),
			input("start_fx", "2022-01-10", "2022-01-10", "850", "PESOS per DOLAR", "d.csv"),
			input("end_uf", "2025-01-09", "2025-01-09", "38000.25", "PESOS per UF", "u.csv"),
			input("start_uf", "2022-01-10", "2022-01-10", "31000", "PESOS per UF", "u.csv"),
		},
	}
	by := receipt.Quotient(receipt.Quotient(receipt.Product(receipt.In(0), receipt.In(2)),
		receipt.Product(receipt.In(1), receipt.In(3))), receipt.Quotient(receipt.In(4), receipt.In(5)))
	by = receipt.Sum(receipt.Power(by, receipt.Quotient(receipt.Number(1), receipt.Number(3))), receipt.Number(-1))
	value, err := made.Eval(by)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.SetValue(value, by); err != nil {
		t.Fatal(err)
	}
	return made
}

func TestATextFitsATerminalAndHasTheWholeFormula(t *testing.T) {
	text, err := textOf(dollars(t), "", "b1")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > 80 && !strings.Contains(line, "long") {
			t.Errorf("%d columns: %s", columns, line)
		}
	}
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{
		"Fund 9809-4, series B RUN 9809-4", "formerly series A until 2020-01-01",
		"Price return above UF over the window 3y_ann at 2025-01-10",
		"(((1,234,567.5 * 1,000.5) / (999.25 * 850)) / (38,000.25 / 31,000)) ^ (1 / 3) - 1 = ",
		"Quota at the end: 1,234,567.5 dollars per quota Of 2025-01-09, 1 day before 2025-01-10, the day that the window asks for.",
		"Dólar at the end: 1,000.5 pesos per dollar Of 2025-01-07, 2 days before 2025-01-09, the day of the quota.",
		"- 1, which can't be used; does not count because the line that counts has the later publication line 6",
		"first seen before that moment was kept",
	} {
		if !strings.Contains(words, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
	if named, err := textOf(dollars(t), "FONDO", "b1"); err != nil || !strings.HasPrefix(named, "FONDO, series B\nRUN 9809-4, ") {
		t.Errorf("with the name of the fund: %v, %.40s", err, named)
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("a file name reaches the terminal as it is: %q", text)
	}
}

func TestATextNamesTheSeriesThatAnExchangeLedTo(t *testing.T) {
	made := dollars(t)
	made.Subject.Basis = new("total")
	held := &receipt.Identity{Series: "2", RUN: "9810-8", Names: []receipt.Name{{Serie: "C"}}}
	revised, counting := lineOf("B", "0.5", "cccc", 2, 1), lineOf("B", "2", "bbbb", 3, 1)
	counting.Counts, made.Inputs[0].Held = true, held
	made.Inputs = append(made.Inputs, receipt.Input{Name: "exchange", Date: day(t, "2023-05-01"), Value: new("2"),
		Unit: "quotas per quota", Held: held, Lines: []receipt.Line{revised, counting}},
		receipt.Input{Name: "factor", Date: day(t, "2023-06-01"), Unit: "quotas per quota"})
	made.Value, made.Formula, made.Reason = nil, nil, new("missing_factor_coverage")
	text, err := textOf(made, "", "b1")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{
		"Return with distributions reinvested, above UF over the window 3y_ann",
		"A day after the start quote has no line of verified factors.",
		"Exchange into another series: 2 new quotas for each old one From the exchange on, the quotas are those of series C of fund 9810-8.",
		"because another line comes later in the order: revision of the exchange, publication, hash, line",
		"No file states the verified factor of 2023-06-01.",
	} {
		if !strings.Contains(words, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// A fund may distribute on each day of five years.
func TestATextOfManyFactorsIsBounded(t *testing.T) {
	made := dollars(t)
	parts := []receipt.Formula{}
	for i := range 1800 {
		on := model.NewDate(2020, 1, 1+i)
		made.Inputs = append(made.Inputs, receipt.Input{Name: "factor", Date: &on, Value: new("1.01"), Unit: "quotas per quota"})
		parts = append(parts, receipt.In(len(made.Inputs)-1))
	}
	made.Formula = new(receipt.Product(parts...))
	text, err := textOf(made, "", "b1")
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{"1.01 * 1.01 * … * 1.01 = ", "… stands for parts that are not shown. --json has all of them.",
		": 5 of 1800 are shown. --json has all of them."} {
		if !strings.Contains(words, part) {
			t.Errorf("%q is missing in %s", part, text)
		}
	}
	if shown := strings.Count(words, ": 1.01 new quotas"); err != nil || shown != 5 {
		t.Errorf("%d factors are shown: %v", shown, err)
	}
}

func TestATextOfAVolatilityNamesItsMonths(t *testing.T) {
	made := dollars(t)
	made.Subject.Field, made.Unit = "volatility_annualized_12m", "fraction"
	made.Inputs[0].Name, made.Inputs[1].Name = "month_end", "month_end"
	made.Formula = new(receipt.Deviation(receipt.In(0), receipt.In(1)))
	text, err := textOf(made, "", "b1")
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{"Volatility of 12 months, annualized at 2025-01-10", "deviation(1,234,567.5; 999.25) = ",
		"Quota of a month end: 1,234,567.5 dollars per quota Of 2025-01-09, 1 day before 2025-01-10, the end of the month."} {
		if err != nil || !strings.Contains(words, part) {
			t.Errorf("%v: %q is missing in %s", err, part, text)
		}
	}
}

func TestATextOfAFallNamesItsHighestAndLowestQuota(t *testing.T) {
	made := dollars(t)
	made.Subject.Field, made.Unit = "max_drawdown_36m", "fraction"
	made.Inputs[0].Name, made.Inputs[1].Name, made.Inputs[0].Target = "peak", "trough", nil
	text, err := textOf(made, "", "b1")
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{"Greatest fall of 36 months at 2025-01-10", "Highest quota before the fall: 1,234,567.5 dollars per quota Of 2025-01-09.",
		"Lowest quota of the fall: 999.25"} {
		if err != nil || !strings.Contains(words, part) {
			t.Errorf("%v: %q is missing in %s", err, part, text)
		}
	}
}

func TestATextOfAnIndexNamesItsMembers(t *testing.T) {
	made := dollars(t)
	made.Subject = receipt.Subject{Family: new("Renta"), Currency: new("DOLAR"), Field: "index_change", Date: *day(t, "2025-01-10")}
	made.Unit, made.Formula = "percent points", new(receipt.Quotient(receipt.In(1), receipt.In(0)))
	held := &receipt.Identity{Series: "2", RUN: "9810-8", Names: []receipt.Name{{Serie: "C"}}}
	made.Inputs = made.Inputs[:3]
	for i, name := range []string{"member_end", "member_start", "member_equity"} {
		made.Inputs[i].Name, made.Inputs[i].Held, made.Inputs[i].Target = name, held, nil
	}
	made.Inputs[2].Unit = "DOLAR"
	made.Inputs = append(made.Inputs, receipt.Input{Name: "level_before", Date: day(t, "2025-01-09"), Value: new("101.5"), Unit: "index points"})
	text, err := textOf(made, "", "b1")
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{"Family Renta Change of the index of the family since the point before, in dollars at 2025-01-10",
		"percent points batch b1", "Quota of a series of the family at the end: 1,234,567.5 dollars per quota Of series C of fund 9810-8. Of 2025-01-09.",
		"Equity of a series of the family at the start: 1,000.5 dollars",
		"Level of the point before, which has a receipt of its own: 101.5 index points Of 2025-01-09."} {
		if err != nil || !strings.Contains(words, part) {
			t.Errorf("%v: %q is missing in %s", err, part, text)
		}
	}
	if strings.Contains(words, "id of the series") {
		t.Errorf("the text of a family names a series: %s", text)
	}
}

func TestATextShowsEachMonthEndThatIsMissing(t *testing.T) {
	made := dollars(t)
	made.Subject.Field, made.Unit, made.Inputs = "volatility_monthly_36m", "fraction", nil
	made.Value, made.Formula, made.Reason = nil, nil, new("missing_monthly_return")
	for i := range 37 {
		end := model.NewDate(2022, 1, 31+30*i)
		input := receipt.Input{Name: "month_end", Target: &end, Date: &end, Value: new("1"), Unit: "PESOS per quota"}
		if i == 2 || i == 30 {
			input.Date, input.Value = nil, nil
		}
		made.Inputs = append(made.Inputs, input)
	}
	text, err := textOf(made, "", "b1")
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{"There is no quota on or before " + made.Inputs[2].Target.String(),
		"There is no quota on or before " + made.Inputs[30].Target.String(), "Quota of a month end: 6 of 37 are shown."} {
		if err != nil || !strings.Contains(words, part) {
			t.Errorf("%v: %q is missing in %s", err, part, text)
		}
	}
}

func TestATextSaysThatAnExchangeIsNotFollowed(t *testing.T) {
	made := dollars(t)
	made.Inputs[0].Date, made.Inputs[0].Value, made.Inputs[0].Lines = nil, nil, nil
	made.Inputs = append(made.Inputs, receipt.Input{Name: "exchange", Date: day(t, "2023-05-01"), Value: new("2"),
		Unit: "quotas per quota"})
	made.Value, made.Formula, made.Reason = nil, nil, new("ambiguous_continuation")
	text, err := textOf(made, "", "b1")
	words := strings.Join(strings.Fields(text), " ")
	if err != nil || !strings.Contains(words, "Not judged: the exchange of 2023-05-01 is not followed.") ||
		!strings.Contains(words, "The exchange of 2023-05-01 is not followed.") || strings.Contains(words, "There is no quota") {
		t.Errorf("%v, %s", err, text)
	}
}

func TestANegativeReturnHasItsSignAndFourDecimals(t *testing.T) {
	for value, want := range map[string]string{"-0.1234567": "-12.3457 %", "0": "0.0000 %", "12.5": "1,250.0000 %",
		"-0.00000001": "0.0000 %"} {
		made := &receipt.Receipt{Value: &value, Unit: "fraction"}
		if got, err := valueWords(made); got != want || err != nil {
			t.Errorf("%s is shown as %q, %v", value, got, err)
		}
	}
}

// What the server answers is not trusted.
func TestAContradictoryReceiptIsRefusedAndNeverPanics(t *testing.T) {
	for what, change := range map[string]func(*receipt.Receipt){
		"an input that is missing": func(r *receipt.Receipt) { r.Inputs = r.Inputs[:1] },
		"an unknown operation":     func(r *receipt.Receipt) { r.Formula = &receipt.Formula{Op: "root"} },
		"a value that is a word":   func(r *receipt.Receipt) { r.Value = new("much") },
		"a value beyond any":       func(r *receipt.Receipt) { r.Value = new("1e999999999") },
	} {
		made := dollars(t)
		change(made)
		if text, err := textOf(made, "", ""); err == nil {
			t.Errorf("%s: %s", what, text)
		}
	}
	lines := []receipt.Line{{}, {Counts: true}}
	for _, made := range []*receipt.Receipt{{}, {Inputs: []receipt.Input{{Lines: lines}}}} {
		if _, err := textOf(made, "", ""); err != nil {
			t.Error(err)
		}
	}
}

func TestWhatALineTouchesIsWrittenInWords(t *testing.T) {
	of := receipt.Touched{
		Line: receipt.TouchedLine{Dataset: "cartola", File: "c.txt", SHA256: "ab", Line: 796, Series: 7, RUN: "9809-4", Serie: "B",
			Published: time.Date(2025, time.September, 1, 0, 0, 0, 0, time.UTC), Date: *day(t, "2025-07-18")},
		Columns: []string{"quota", "equity"}, Rows: 3,
		Tables: []receipt.TouchedTable{
			{Table: "daily", Rows: 2, Columns: []string{"daily_return", "quota"}, Listed: []receipt.TouchedRow{
				{Key: []byte(`{"series_id":7,"date":"2025-07-18"}`), Columns: []string{"quota"}}}},
			{Table: "screener", Rows: 1, Columns: []string{"return_1m"}},
		},
	}
	got := affectedText(&of, "B1")
	for _, want := range []string{
		"Line 796 of c.txt\n",
		"  cartola, sha256 ab, publication 2025-09-01 00:00:00 UTC\n",
		"  RUN 9809-4, series B, id of the series 7, 2025-07-18\n",
		"Rows of the batch B1 that are computed with its quota, equity: 3.\n",
		"daily: rows 2; daily_return, quota\n  series_id 7, date 2025-07-18: quota\n  and 1 more; --rows shows them\n",
		"screener: rows 1; return_1m\n\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the text:\n%s", want, got)
		}
	}
}
