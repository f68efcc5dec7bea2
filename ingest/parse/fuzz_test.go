package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"cuota/ingest/encode"
	"cuota/ingest/excerpt"
	"cuota/model"
)

func FuzzCartola(f *testing.F)           { fuzzParser(f, model.Cartola, "cartola.txt") }
func FuzzRegister(f *testing.F)          { fuzzParser(f, model.Register, "register.txt") }
func FuzzTACComparator(f *testing.F)     { fuzzParser(f, model.TACComparator, "tac.csv") }
func FuzzReturnsComparator(f *testing.F) { fuzzParser(f, model.ReturnsComparator, "returns.csv") }
func FuzzAAFM(f *testing.F)              { fuzzParser(f, model.AAFM, "sheet_20250720.csv") }
func FuzzUF(f *testing.F)                { fuzzParser(f, model.UF, "uf.csv") }
func FuzzDolar(f *testing.F)             { fuzzParser(f, model.Dolar, "dolar.csv") }
func FuzzFIRegister(f *testing.F)        { fuzzParser(f, model.FIRegister, "fi.csv") }
func FuzzTACMonthly(f *testing.F)        { fuzzParser(f, model.TACMonthly, "tac_monthly.csv") }
func FuzzHoldingsNational(f *testing.F)  { fuzzParser(f, model.Holdings, "naci_202506.txt") }
func FuzzHoldingsForeign(f *testing.F)   { fuzzParser(f, model.Holdings, "extr_202506.txt") }
func FuzzHoldingsOfFI(f *testing.F)      { fuzzParser(f, model.Holdings, "portfolio_202506.csv") }
func FuzzFIValues(f *testing.F)          { fuzzParser(f, model.FIValues, "fi_9278_202506.csv") }
func FuzzBenchmarks(f *testing.F)        { fuzzParser(f, model.Benchmarks, "benchmarks.csv") }
func FuzzBenchmarkPrices(f *testing.F)   { fuzzParser(f, model.Benchmarks, "benchmark_prices.csv") }
func FuzzArticle107(f *testing.F)        { fuzzParser(f, model.Article107s, "article107.csv") }
func FuzzFactors(f *testing.F)           { fuzzParser(f, model.Events, "factors.csv") }
func FuzzExchanges(f *testing.F)         { fuzzParser(f, model.Events, "exchanges.csv") }
func FuzzRenames(f *testing.F)           { fuzzParser(f, model.Events, "renames.csv") }
func FuzzDiscontinuities(f *testing.F)   { fuzzParser(f, model.Events, "discontinuities.csv") }
func FuzzEnds(f *testing.F)              { fuzzParser(f, model.Events, "ends.csv") }
func FuzzRiskFree(f *testing.F)          { fuzzParser(f, model.Events, "risk_free.csv") }
func FuzzVehicles(f *testing.F)          { fuzzParser(f, model.Vehicles, "vehicles.csv") }

// fixture reads a small file of real lines from the testdata of ingest.
func fixture(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// fileOf describes a file that is later than the last day in the fixtures.
func fileOf(dataset model.Dataset, name string) File {
	const anySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	latest := model.NewDate(2026, 9, 1)
	return File{Dataset: dataset, Name: name, SHA256: anySHA256, Revision: latest.Time().UnixMilli(), Latest: latest}
}

// fuzzParser puts random bytes after a header. It expects that nothing panics, that
// every line is exactly one of header, blank, published or rejected, and that each
// published event is what encoding/json makes of a valid event.
func fuzzParser(f *testing.F, dataset model.Dataset, name string) {
	file := fileOf(dataset, name)
	header, rows := headOf(f, file, fixture(f, name))
	f.Add([]byte(rows))
	for row := range strings.Lines(rows) {
		f.Add([]byte(row))
	}
	f.Add([]byte("\ufeff\r\n;;;\n\"\n,,,\n\x00\xff"))
	validate := newEventValidator()
	f.Fuzz(func(t *testing.T, data []byte) {
		// First the bytes alone: a file may lack its header.
		_, err := New(file, bytes.NewReader(data))
		var refused *Refusal
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("reading bytes fails: %v", err)
		}
		payload := append([]byte(header), data...)
		p, err := New(file, bytes.NewReader(payload))
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for {
			result, err := p.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			read++
			if (result.Event == nil) == (result.Reject == nil) {
				t.Fatalf("a row is both published and rejected, or neither: %+v", result)
			}
			if result.Reject != nil {
				if result.Reject.Reason == "" || len(result.Reject.Raw) > excerpt.MaxRow {
					t.Fatalf("rejection %+v", result.Reject)
				}
				if _, err := json.Marshal(result.Reject); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := validate.check(result.Event); err != nil {
				t.Fatal(err)
			}
			got, err := encode.Event(result.Event)
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(result.Event)
			if err != nil || !bytes.Equal(want, got) {
				t.Fatalf("encoded %s, want %s, %v", got, want, err)
			}
		}
		lines := bytes.Count(payload, []byte("\n"))
		if !bytes.HasSuffix(payload, []byte("\n")) {
			lines++
		}
		if found := p.headerLines + p.idleLines + read; found != lines {
			t.Fatalf("%d header lines, %d idle, %d rows: %d of %d lines", p.headerLines, p.idleLines, read, found,
				lines)
		}
	})
}

// headOf splits a fixture after the part by which its parser recognises it: the header,
// or the first row of a sheet without one.
func headOf(t testing.TB, file File, content string) (head, rows string) {
	t.Helper()
	p, err := New(file, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	lines := p.headerLines
	if p.first != nil {
		lines++
	}
	rows = content
	for range lines {
		_, rows, _ = strings.Cut(rows, "\n")
	}
	return content[:len(content)-len(rows)], rows
}

// FuzzPage puts random bytes into a saved page, before, inside and after the table. It
// expects that nothing panics, that every row is published or rejected, and that no two
// rows have the same number.
func FuzzPage(f *testing.F) {
	page := fixture(f, "fi_9278_page.html")
	table := page[strings.Index(page, "<table border"):]
	header, rows, _ := strings.Cut(table, "<tbody>")
	f.Add([]byte("<html><table><tr><td>"), []byte(rows))
	f.Add([]byte("<script><table>"), []byte("<tr><td>1<table><tr><td>2</table>"))
	f.Add([]byte("<!--"), []byte("</table></table></table><tr>"))
	file := fileOf(model.FIValues, "fi_9278_page.html")
	validate := newEventValidator()
	f.Fuzz(func(t *testing.T, before, inside []byte) {
		payload := append(append([]byte("<html>"+string(before)+header), inside...), "</table></html>"...)
		p, err := New(file, bytes.NewReader(payload))
		var refused *Refusal
		if errors.As(err, &refused) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		last := uint32(0)
		for {
			result, err := p.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if (result.Event == nil) == (result.Reject == nil) {
				t.Fatalf("a row is both published and rejected, or neither: %+v", result)
			}
			number := uint32(0)
			if result.Reject != nil {
				number = result.Reject.Line
			} else {
				number = result.Event.From().Line
				if err := validate.check(result.Event); err != nil {
					t.Fatal(err)
				}
			}
			if number <= last {
				t.Fatalf("row %d comes behind row %d", number, last)
			}
			last = number
		}
		if read := p.BytesRead(); read != int64(len(payload)) {
			t.Fatalf("%d of %d bytes read", read, len(payload))
		}
	})
}

// FuzzChilean compares the parser of 1.234.567,89 with a formatter.
func FuzzChilean(f *testing.F) {
	for _, seed := range []string{"1.234.567,89", "0", "-12,5", "1234,5", "1.23", "1.234", "1,", ",5", ".123", "1.2345",
		"1..234", "-", "12.345.6789", "1,234.5", "-0,0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseDecimal(text, chileanUnitShape)
		if err != nil {
			return
		}
		if !unitsShape.holds(got) {
			t.Fatalf("%q gives %s, which is not held", text, got)
		}
		want, err := decimal.NewFromString(strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1))
		if err != nil || !want.Equal(got) {
			t.Fatalf("%q gives %s, want %s (%v)", text, got, want, err)
		}
		whole, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), ",")
		for i, group := range strings.Split(whole, ".") {
			if strings.Contains(whole, ".") && (len(group) > 3 || i > 0 && len(group) != 3) {
				t.Fatalf("%q is accepted", text)
			}
		}
	})
}

// FuzzDecimal compares the parser with a second one: an accepted number prints back to
// the same number and is within the shape.
func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{
		"1421.0319", ".0881", "0", "-0", "-4.3423", "00.10", "1.", ".", "", "1,5", "1e5", "4.8e-05", "Inf", "0x1p3",
		"1_0",
		"999999999999.999999", "99999999999999.9999", "1000000000000", "23040.939999999", "1.3200000524520874", "٣",
		"+1", " 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []shape{quotaShape, amountShape, chargeShape, factorShape, aafmShape, comparatorShape,
			syntheticShape, returnShape} {
			got, err := parseDecimal(text, s)
			if err != nil {
				continue
			}
			if !s.holds(got) {
				t.Fatalf("%q gives %s, which %+v does not hold", text, got, s)
			}
			want, err := decimal.NewFromString(text)
			if err != nil {
				t.Fatalf("%q is accepted and is no number: %v", text, err)
			}
			if s.noisy {
				want = want.Round(int32(s.decimals))
			}
			if s.digits > 0 { // after rounding, the difference is far below the last digit
				if got.Sub(want).Abs().GreaterThan(want.Shift(-6)) {
					t.Fatalf("%q gives %s", text, got)
				}
				want = got
			}
			if !got.Equal(want) {
				t.Fatalf("%q gives %s, want %s", text, got, want)
			}
			var printed struct {
				Quota decimal.Decimal `json:"quota"`
			}
			event, err := encode.Event(&model.Quota{Quota: got})
			if err != nil || json.Unmarshal(event, &printed) != nil || !printed.Quota.Equal(got) {
				t.Fatalf("%q prints as %s: %v", text, event, err)
			}
			if !s.exponent && strings.Trim(text, "-.0123456789") != "" {
				t.Fatalf("%q is accepted", text)
			}
		}
	})
}
