package report_test

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/backtest"
	"cuota/backtest/report"
	"cuota/internal/tablefile"
	"cuota/internal/testkit/parquettest"
	"cuota/model"
)

// read reads a table back from Parquet.
func read(t testing.TB, table report.Table, r *backtest.Result) parquettest.Table {
	t.Helper()
	var out bytes.Buffer
	must(t, table.Parquet(&out, r))
	return parquettest.Read(t, out.Bytes())
}

// columns returns the values of a table by column: nil for null.
func columns(of parquettest.Table) map[string][]any {
	values := map[string][]any{}
	for i, column := range of.Columns {
		values[column.Name] = []any{}
		for _, row := range of.Rows {
			values[column.Name] = append(values[column.Name], row[i])
		}
	}
	return values
}

func TestWhatParquetHasIsTheResult(t *testing.T) {
	r := invented(11, 2, 6)
	r.Curve[4].Benchmark = nil
	r.Rebalancings[1].Trades[0].Into = 4294967295 // more than an int32 holds
	got := map[string]map[string][]any{}
	for _, table := range report.Tables(r) {
		got[table.Name] = columns(read(t, table, r))
	}
	want := map[string][]any{}
	for _, d := range r.Curve {
		want["date"], want["value"], want["cash"] = append(want["date"], d.Date.String()),
			append(want["value"], d.Value), append(want["cash"], d.Cash)
		if d.Benchmark == nil {
			want["benchmark"] = append(want["benchmark"], nil)
		} else {
			want["benchmark"] = append(want["benchmark"], *d.Benchmark)
		}
	}
	same(t, "curve", want, got)
	want = map[string][]any{}
	for _, date := range r.Rebalancings {
		for _, trade := range date.Trades {
			add(want, "signal_date", date.Date.String())
			add(want, "date", trade.Date.String())
			add(want, "series_id", trade.Series)
			add(want, "kind", trade.Kind)
			add(want, "reason", trade.Reason)
			add(want, "quota", trade.Quota)
			add(want, "amount", trade.Amount)
			add(want, "cost", trade.Cost)
			if trade.Into == 0 {
				add(want, "into_series_id", nil)
			} else {
				add(want, "into_series_id", trade.Into)
			}
		}
	}
	same(t, "trades", want, got)
	want = map[string][]any{}
	for _, m := range r.Months {
		add(want, "month", m.Month.String())
		add(want, "return", m.Return)
		add(want, "benchmark", *m.Benchmark)
		add(want, "whole", m.Whole)
	}
	same(t, "months", want, got)
	want = map[string][]any{}
	for _, date := range r.Rebalancings {
		for i, s := range date.Selected {
			add(want, "signal_date", date.Date.String())
			add(want, "place", int64(i+1))
			add(want, "series_id", s.Series)
			add(want, "run", s.RUN)
			add(want, "serie", s.Serie)
			add(want, "fund", s.FundName)
			add(want, "value", s.Value)
			add(want, "weight", s.Weight)
		}
	}
	same(t, "holdings", want, got)
	want = map[string][]any{}
	for _, date := range r.Rebalancings {
		for _, left := range date.Left {
			add(want, "signal_date", date.Date.String())
			add(want, "series_id", left.Series)
			add(want, "reason", left.Reason)
		}
	}
	same(t, "excluded", want, got)
}

func add(columns map[string][]any, name string, value any) {
	columns[name] = append(columns[name], value)
}

func same(t *testing.T, name string, want map[string][]any, got map[string]map[string][]any) {
	t.Helper()
	if diff := cmp.Diff(want, got[name]); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

// Every table has the same rows in both forms, also the small ones that no other test reads.
func TestParquetAndCSVHaveTheSameRows(t *testing.T) {
	for _, r := range []*backtest.Result{small(), invented(12, 4, 5), {Strategy: small().Strategy}} {
		for _, table := range report.Tables(r) {
			var text bytes.Buffer
			must(t, table.CSV(&text))
			records, err := csv.NewReader(&text).ReadAll()
			must(t, err)
			values := columns(read(t, table, r))
			for i, name := range records[0] {
				if len(values[name]) != len(records)-1 {
					t.Fatalf("%s, %s: %d rows in Parquet, %d in CSV", table.Name, name, len(values[name]),
						len(records)-1)
				}
				for row, value := range values[name] {
					if got := records[row+1][i]; !says(got, value) {
						t.Errorf("%s, %s, row %d: %q in CSV, %v in Parquet", table.Name, name, row, got, value)
					}
				}
			}
		}
	}
}

// says reports whether a text of CSV is a value of Parquet.
func says(text string, value any) bool {
	switch value := value.(type) {
	case nil:
		return text == ""
	case float64:
		number, err := strconv.ParseFloat(text, 64)
		return err == nil && number == value
	}
	return text == fmt.Sprint(value)
}

func TestColumnsTellTheirTypeUnitAndRule(t *testing.T) {
	r := small()
	types := map[tablefile.Kind]string{
		tablefile.Day: "DATE", tablefile.Number: "DOUBLE", tablefile.Whole: "INT(64,true)",
		tablefile.ID: "INT(32,false)", tablefile.Text: "STRING", tablefile.Flag: "BOOLEAN",
	}
	for _, table := range report.Tables(r) {
		got := read(t, table, r)
		// Tests of tablefile prove that readers of Arrow find the texts of this message beside their columns.
		schema, err := base64.StdEncoding.DecodeString(got.Notes["ARROW:schema"])
		must(t, err)
		for i, column := range table.Columns {
			want := parquettest.Column{Name: column.Name, Type: types[column.Kind], Nullable: column.Nullable}
			if want != got.Columns[i] {
				t.Errorf("%s: the column %+v is %+v in Parquet", table.Name, want, got.Columns[i])
			}
			if column.Unit == "" || column.Comment == "" || !bytes.Contains(schema, []byte(column.Unit)) ||
				!bytes.Contains(schema, []byte(column.Comment)) {
				t.Errorf("%s: the unit or the comment of %+v is missing", table.Name, column)
			}
		}
		if got.Notes["cuota.fingerprint"] != r.Fingerprint {
			t.Errorf("%s does not have the fingerprint", table.Name)
		}
		text, there := got.Notes["cuota.strategy"]
		if !there {
			t.Fatalf("%s does not have the strategy", table.Name)
		}
		var strategy backtest.Strategy
		must(t, json.Unmarshal([]byte(text), &strategy))
		if diff := cmp.Diff(r.Strategy, strategy, cmp.AllowUnexported(model.Date{})); diff != "" {
			t.Error(diff)
		}
	}
}

// More rows than a row group has.
func TestALargeTableIsReadBackWhole(t *testing.T) {
	r := small()
	for i := range uint32(150_000) {
		r.Rebalancings[0].Left = append(r.Rebalancings[0].Left, backtest.Excluded{Series: i, Reason: "not_in_top"})
	}
	for _, table := range report.Tables(r) {
		if table.Name != "excluded" {
			continue
		}
		values := columns(read(t, table, r))["series_id"]
		if len(values) != 150_000+len(r.Rebalancings[0].Left)-150_000+len(r.Rebalancings[1].Left) {
			t.Errorf("%d rows are read", len(values))
		}
		for i := range uint32(150_000) {
			if got := values[len(values)-len(r.Rebalancings[1].Left)-150_000+int(i)]; got != i {
				t.Fatalf("row of series %d has %v", i, got)
			}
		}
	}
}
