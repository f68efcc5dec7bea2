package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

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

// fuzzParser puts any bytes behind a header: nothing panics, every line is
// exactly one of header, blank, published or rejected, and whatever is
// published is what encoding/json makes of a valid event.
func fuzzParser(f *testing.F, dataset model.Dataset, name string) {
	content := fixture(f, name)
	header, rows, _ := strings.Cut(content, "\n")
	f.Add([]byte(rows))
	for row := range strings.Lines(rows) {
		f.Add([]byte(row))
	}
	f.Add([]byte("\ufeff\r\n;;;\n\"\n,,,\n\x00\xff"))
	entry := Entry{Dataset: dataset, File: name, SHA256: anySHA256, FirstSeen: today, Revision: today.UnixMilli()}
	validate := newEventValidator()
	f.Fuzz(func(t *testing.T, data []byte) {
		// Alone first: a file need not begin with its header.
		_, err := newParser(entry, bytes.NewReader(data))
		var refused *refusal
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("reading bytes fails: %v", err)
		}
		payload := append([]byte(header+"\n"), data...)
		p, err := newParser(entry, bytes.NewReader(payload))
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for {
			result, err := p.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			rows++
			if (result.event == nil) == (result.reject == nil) {
				t.Fatalf("a row is both published and rejected, or neither: %+v", result)
			}
			if result.reject != nil {
				if result.reject.Reason == "" || len(result.reject.Raw) > maxRaw {
					t.Fatalf("rejection %+v", result.reject)
				}
				if _, err := rejectMessage(*result.reject); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := validate.check(result.event); err != nil {
				t.Fatal(err)
			}
			message, err := eventMessage(result.event)
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(result.event)
			if err != nil || !bytes.Equal(want, message.Value) {
				t.Fatalf("encoded %s, want %s, %v", message.Value, want, err)
			}
		}
		lines := bytes.Count(payload, []byte("\n"))
		if !bytes.HasSuffix(payload, []byte("\n")) {
			lines++
		}
		if found := p.headerLines + p.blankLines + rows; found != lines {
			t.Fatalf("%d header lines, %d blank, %d rows: %d of %d lines", p.headerLines, p.blankLines, rows, found, lines)
		}
	})
}

// FuzzDecimal holds the parser against a second one: what is accepted prints
// back to the same number, within the shape.
func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{
		"1421.0319", ".0881", "0", "-0", "-4.3423", "00.10", "1.", ".", "", "1,5", "1e5", "4.8e-05", "Inf", "0x1p3", "1_0",
		"999999999999.999999", "99999999999999.9999", "1000000000000", "23040.939999999", "1.3200000524520874", "٣", "+1", " 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []shape{quotaShape, amountShape, chargeShape, factorShape, sheetShape, comparatorShape, returnShape} {
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
			if !got.Equal(want) {
				t.Fatalf("%q gives %s, want %s", text, got, want)
			}
			var printed decimal.Decimal
			if err := json.Unmarshal(appendDecimal(nil, got), &printed); err != nil || !printed.Equal(got) {
				t.Fatalf("%q prints as %s", text, appendDecimal(nil, got))
			}
			if !s.exponent && strings.Trim(text, "-.0123456789") != "" {
				t.Fatalf("%q is accepted", text)
			}
		}
	})
}
