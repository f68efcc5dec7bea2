package oracle

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The columns of a cartola line, from 0, that this package reads, of 25.
const (
	columns        = 25
	colManager     = 0
	colRun         = 2
	colDay         = 3
	colMoneda      = 5
	colSerie       = 8
	colContributed = 9
	colRedeemed    = 10
	colOutstanding = 11
	colQuota       = 12
	colEquity      = 13
	colHolders     = 14
	colFirstCost   = 17 // fixed fee; then variable fee, affected and unaffected expenses
	colLastCost    = 20
	colAdjust      = 23
	colPayout      = 24
)

// Load reads cartola files in the given order. If two rows have the same series and day, the
// later one counts. One bad line fails the whole load, and the error has the file and the
// line. For a row that was rejected at ingest, use [Market.Void].
func Load(paths ...string) (*Market, error) {
	m := New()
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("load cartola: %w", err)
		}
		for i, line := range strings.Split(text(raw), "\n") {
			line = strings.TrimSuffix(line, "\r")
			if i == 0 || line == "" { // the header, and the end of the file
				continue
			}
			row, err := parse(line)
			if err != nil {
				return nil, fmt.Errorf("load cartola %s, line %d: %w", path, i+1, err)
			}
			m.Add(row)
		}
	}
	return m, nil
}

// text decodes UTF-8, with or without a byte order mark, or else Latin-1.
func text(raw []byte) string {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if utf8.Valid(raw) {
		return string(raw)
	}
	runes := make([]rune, len(raw))
	for i, b := range raw {
		runes[i] = rune(b)
	}
	return string(runes)
}

// Parse reads a line of a cartola file. It fails if a field is not as published.
func Parse(line string) (Row, error) { return parse(line) }

func parse(line string) (Row, error) {
	fields := strings.Split(line, ";")
	if len(fields) != columns {
		return Row{}, fmt.Errorf("%d columns, not %d", len(fields), columns)
	}
	run, err := strconv.Atoi(fields[colRun])
	if err != nil {
		return Row{}, fmt.Errorf("RUN_FM: %w", err)
	}
	day, err := time.Parse("20060102", fields[colDay])
	if err != nil {
		return Row{}, fmt.Errorf("FECHA_INF: %w", err)
	}
	row := Row{Run: run, Serie: fields[colSerie], Day: day, Moneda: fields[colMoneda]}
	for _, count := range []struct {
		name   string
		column int
		to     *int
	}{{"RUN_ADM", colManager, &row.Manager}, {"NUM_PARTICIPES", colHolders, &row.Shareholders}} {
		if *count.to, err = strconv.Atoi(fields[count.column]); err != nil {
			return Row{}, fmt.Errorf("%s: %w", count.name, err)
		}
	}
	for _, number := range []struct {
		name   string
		column int
		to     *float64
		blank  bool // the field may be blank
	}{
		{"CUOTAS_APORTADAS", colContributed, &row.Contributed, false},
		{"CUOTAS_RESCATADAS", colRedeemed, &row.Redeemed, false},
		{"CUOTAS_EN_CIRCULACION", colOutstanding, &row.Outstanding, false},
		{"VALOR_CUOTA", colQuota, &row.Quota, false},
		{"PATRIMONIO_NETO", colEquity, &row.Equity, false},
		{"FACTOR DE AJUSTE", colAdjust, &row.Adjust, true},
		{"FACTOR DE REPARTO", colPayout, &row.Payout, true},
	} {
		if number.blank && fields[number.column] == "" {
			continue
		}
		if *number.to, err = decimal(fields[number.column]); err != nil {
			return Row{}, fmt.Errorf("%s: %w", number.name, err)
		}
	}
	for column := colFirstCost; column <= colLastCost; column++ {
		cost, err := decimal(fields[column])
		if err != nil {
			return Row{}, fmt.Errorf("cost in column %d: %w", column+1, err)
		}
		row.Costs += cost
	}
	return row, nil
}

// decimal reads a number such as 1421.0319, .0881 or -3. It refuses the other forms that Go
// accepts: exponents, hexadecimal, NaN.
func decimal(field string) (float64, error) {
	if strings.Trim(field, "-.0123456789") != "" {
		return 0, fmt.Errorf("%q isn't a decimal number", field)
	}
	return strconv.ParseFloat(field, 64)
}
