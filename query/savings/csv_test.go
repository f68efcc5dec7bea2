package savings

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestACSVIsReadAsChileansWriteIt(t *testing.T) {
	for _, text := range []string{
		"\ufefffecha;serie;tipo;monto\r\n2024-03-15;9809-4 B;compra;1.500.000,50\r\n\r\n16/03/2024;123;Venta;todo\r\n",
		"fecha,serie,tipo,monto\n2024-03-15,9809-4 B,Aporte,1500000.50\n16-03-2024,123,rescate,TODO",
		"2024-03-15\t9809-4 B\tbuy\t1500000,50\n2024-03-16\t123\tsell\tall\t",
		"date;series;kind;amount\n2024-03-15;9809-4 B;buy;1500000.50\n2024-03-16;123;sell;all",
		"Monto;Tipo;Fecha;Serie\n\"1500000,5\";COMPRA;2024-03-15;9809-4 B\ntodo;venta;2024-03-16;123;",
	} {
		got, wrong := ParseCSV(text)
		if len(wrong) > 0 || len(got) != 2 {
			t.Errorf("%q: %+v %v", text, got, wrong)
			continue
		}
		if a, b := got[0], got[1]; a.Amount != 1500000.5 || a.Series != "9809-4 B" || a.Kind != Buy || a.All || !b.All ||
			b.Kind != Sell || b.Series != "123" || a.Date.AddDays(1) != b.Date || a.Date.String() != "2024-03-15" {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestAmountsHaveOneMeaningOrAreRefused(t *testing.T) {
	for text, want := range map[string]float64{
		"1000": 1000, "1.000": 1000, "1.000.000": 1e6, "$ 1.000": 1000, "1.000,5": 1000.5, "0.125": .125,
		"1000.123": 1000.123, "12.5": 12.5, "12,3456": 12.3456, "0,5": .5, "007": 7,
	} {
		if got, fault := ParseAmount(text, false); got != want || fault != "" {
			t.Errorf("%q is %v (%s), want %v", text, got, fault, want)
		}
	}
	for text, want := range map[string]string{
		"1,000": AmbiguousAmount, "0": WrongAmount, "-5": WrongAmount, "1e5": WrongAmount, "": WrongAmount,
		"1.00.000": WrongAmount, "1,000,000": WrongAmount, "NaN": WrongAmount, "99999999999999": WrongAmount, "١": WrongAmount,
	} {
		if got, fault := ParseAmount(text, false); fault != want {
			t.Errorf("%q is %v (%s), want %s", text, got, fault, want)
		}
	}
	for _, units := range []string{"12.5 units", "12,5 cuotas", "12.5 quotas", "12,5 Units"} {
		got, wrong := ParseCSV("2024-03-15;1;sell;" + units)
		if len(wrong) > 0 || len(got) != 1 || got[0].Quotas != 12.5 || got[0].Amount != 0 {
			t.Errorf("%s: %+v %v", units, got, wrong)
		}
	}
	if _, fault := ParseAmount("12.345", true); fault != AmbiguousAmount {
		t.Errorf("12.345 quotas: %q", fault)
	}
}

func TestEachWrongLineIsToldWithItsNumber(t *testing.T) {
	_, wrong := ParseCSV("fecha;serie;tipo;monto\n2024-02-30;1;compra;1\n\n2024-02-20;1;regalo;1\n2024-02-20;;compra;1\n" +
		"2024-02-20;1;compra;todo\n2024-02-20;1;compra\n2024-02-20;1;venta;x\n2024-02-20;1;venta;12,5 cuotas")
	want := []LineError{{2, WrongDate, "2024-02-30"}, {4, WrongKind, "regalo"}, {5, WrongSeries, ""},
		{6, BuyAll, "todo"}, {7, WrongColumns, "2024-02-20;1;compra"}, {8, WrongAmount, "x"}}
	if len(wrong) != len(want) {
		t.Fatalf("%v", wrong)
	}
	for i := range want {
		if wrong[i] != want[i] || wrong[i].Explain() == "" {
			t.Errorf("%+v, want %+v", wrong[i], want[i])
		}
	}
	many, wrong := ParseCSV(strings.Repeat("2024-02-20;1;compra;1\n", MaxMovements+1))
	if len(many) != MaxMovements || len(wrong) != 1 || wrong[0] != (LineError{MaxMovements + 1, TooMany, ""}) {
		t.Errorf("%d movements, %v", len(many), wrong)
	}
}

func TestTheFirstSeriesBeyondTheLimitIsNamed(t *testing.T) {
	text := ""
	for i := range MaxSeries {
		text += fmt.Sprintf("2024-02-20;%d;compra;1\n", i)
	}
	text += "2024-02-20;7;venta;todo\n"
	if got, wrong := ParseCSV(text); len(got) != MaxSeries+1 || len(wrong) > 0 {
		t.Errorf("%d movements, %v", len(got), wrong)
	}
	got, wrong := ParseCSV(text + "2024-02-20;new;compra;1\n2024-02-20;7;compra;1\n")
	if len(got) != MaxSeries+1 || len(wrong) != 1 || wrong[0] != (LineError{MaxSeries + 2, TooManySeries, "new"}) {
		t.Errorf("%d movements, %v", len(got), wrong)
	}
}

func TestAfterFiftyWrongLinesNoMoreAreTold(t *testing.T) {
	const good, bad = "2024-02-20;1;compra;1\n", "2024-02-30;1;compra;1\n"
	for name, other := range map[string]string{"a field": bad, "columns": "x\n"} {
		text := good + strings.Repeat(bad, MaxWrong)
		if got, wrong := ParseCSV(text + good); len(got) != 2 || len(wrong) != MaxWrong {
			t.Errorf("%s: %d movements and %d wrong lines", name, len(got), len(wrong))
		}
		_, wrong := ParseCSV(text + strings.Repeat(other, 5000))
		if len(wrong) != MaxWrong+1 || wrong[MaxWrong] != (LineError{MaxWrong + 2, TooManyWrong, ""}) {
			t.Errorf("%s: %d wrong lines, the last %+v", name, len(wrong), wrong[len(wrong)-1])
		}
	}
}

func FuzzParseCSV(f *testing.F) {
	for _, seed := range []string{"", "fecha;serie;tipo;monto\n2024-03-15;9809-4 B;compra;1.500.000,50", "\ufeff\r\r\n\"",
		"a,b,c,d", "2024-03-15;1;venta;1,5 cuotas\n;;;\n2024-03-15;\xff;venta;todo", "2024-03-15\t1\tsell\tall\t\t\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		movements, wrong := ParseCSV(text)
		if len(movements) > MaxMovements {
			t.Errorf("%d movements", len(movements))
		}
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		last := 0
		for _, m := range movements {
			if m.Check() != "" || m.Line <= last || m.Line > lines || !utf8.ValidString(m.Series) ||
				math.IsInf(m.Amount, 0) {
				t.Errorf("%+v: %s", m, m.Check())
			}
			last = m.Line
		}
		if len(wrong) > MaxWrong+1 {
			t.Errorf("%d wrong lines", len(wrong))
		}
		last = 0
		for _, e := range wrong {
			if e.Line <= last || e.Line > lines || e.Explain() == "" || !utf8.ValidString(e.Text) {
				t.Errorf("%+v", e)
			}
			last = e.Line
		}
	})
}
