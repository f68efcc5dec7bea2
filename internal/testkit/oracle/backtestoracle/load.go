package backtestoracle

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"cuota/internal/testkit/oracle"
)

// File is a file of a market.
type File struct {
	Dataset   string // cartola, uf, dolar, returns-comparator, tac-comparator, register or events
	Path      string
	Published time.Time
}

// Load reads the files of a market. A row of the cartola that can't be read is void, and left out if
// its day can't be read either. It fails if another file can't be read.
func Load(files ...File) (Market, error) {
	m := Market{Dollar: map[time.Time]float64{}, UF: map[time.Time]float64{}, Ended: map[int]time.Time{},
		Managers: map[int]string{}, ManagerIDs: map[int]int{}, Funds: map[int]string{}}
	for _, f := range files {
		read := map[string]func(File, []map[string]string) error{
			"uf": m.loadUF, "dolar": m.loadDollar, "returns-comparator": m.loadLines, "tac-comparator": m.loadRates,
			"register": m.loadRegister, "events": m.loadEvents,
		}[f.Dataset]
		raw, err := os.ReadFile(f.Path)
		if err == nil && f.Dataset == "cartola" {
			m.loadCartola(f, string(raw))
		} else if err == nil && read != nil {
			var rows []map[string]string
			if rows, err = records(f, raw); err == nil {
				err = read(f, rows)
			}
		}
		if err != nil {
			return m, fmt.Errorf("load %s: %w", f.Path, err)
		}
	}
	return m, nil
}

// records returns the lines of a file with a header as fields by name.
func records(f File, raw []byte) (rows []map[string]string, err error) {
	from := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\ufeff"))))
	if f.Dataset == "register" {
		from.Comma, from.LazyQuotes = ';', true
	}
	lines, err := from.ReadAll()
	if err != nil {
		return nil, err
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (m *Market) loadCartola(f File, content string) {
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if i == 0 || line == "" {
			continue
		}
		row, err := oracle.Parse(line)
		fields := strings.Split(line, ";")
		if err != nil || currencyOf(row) == "" || !(row.Quota > 0) {
			day, bad := time.Parse("20060102", fields[3])
			run, err := strconv.Atoi(fields[2])
			if bad != nil || err != nil {
				continue
			}
			row = oracle.Row{Run: run, Serie: fields[8], Day: day}
		}
		m.Managers[row.Run] = fields[1]
		if row.Manager != 0 {
			m.ManagerIDs[row.Run] = row.Manager
		}
		m.Statements = append(m.Statements, Statement{row, f.Published})
	}
}

func (m *Market) loadUF(_ File, rows []map[string]string) error     { return indicator(rows, m.UF) }
func (m *Market) loadDollar(_ File, rows []map[string]string) error { return indicator(rows, m.Dollar) }

func indicator(rows []map[string]string, into map[time.Time]float64) error {
	for _, row := range rows {
		day, err := time.Parse(time.DateOnly, row["fecha"])
		if err != nil {
			return err
		}
		if into[day], err = strconv.ParseFloat(row["valor"], 64); err != nil {
			return err
		}
	}
	return nil
}

// number returns a number of a file; 0 if the field is blank.
func (p *fields) number(name string) float64 {
	if p.row[name] == "" {
		return 0
	}
	value, err := strconv.ParseFloat(p.row[name], 64)
	p.fail(err)
	return value
}

// day returns a day of a file.
func (p *fields) day(layout, name string) time.Time {
	day, err := time.Parse(layout, p.row[name])
	p.fail(err)
	return day
}

// fields reads the fields of a row and keeps the first error.
type fields struct {
	row map[string]string
	err error
}

func (p *fields) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (m *Market) loadLines(f File, rows []map[string]string) error {
	for _, row := range rows {
		p := fields{row: row}
		m.Lines = append(m.Lines, Line{Run: int(p.number("fo_run")), Serie: row["fm_serie"],
			Day:    p.day("20060102", "fm_fecha"),
			Family: row["familia_rar"], Class: row["clase_inversionista"], Spheres: int(p.number("ind_rar_pond")),
			Published: f.Published})
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

func (m *Market) loadRates(f File, rows []map[string]string) error {
	for _, row := range rows {
		p := fields{row: row}
		m.Rates = append(m.Rates, Rate{Run: int(p.number("fo_run")), Serie: row["fm_serie"],
			Month: p.day("20060102", "fm_fecha_num"),
			Kind:  "synthetic", Value: p.number("tac_sintetica") / 100, Class: row["clase_inversionista"],
			Published: f.Published})
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

func (m *Market) loadRegister(_ File, rows []map[string]string) error {
	for _, row := range rows {
		p := fields{row: row}
		m.Funds[int(p.number("RUN Fondo"))] = row["Nombre Fondo"]
		if row["Fecha Término Operaciones"] != "" {
			m.Ended[int(p.number("RUN Fondo"))] = p.day("02/01/2006", "Fecha Término Operaciones")
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// loadEvents reads exchanges and renames. Verified factors count in no backtest.
func (m *Market) loadEvents(_ File, rows []map[string]string) error {
	runOf := func(text string) int {
		run, err := oracle.ParseRUN(text)
		if err != nil {
			panic("backtestoracle: " + err.Error())
		}
		return run
	}
	for _, row := range rows {
		p := fields{row: row}
		switch row["kind"] {
		case "rename":
			m.Renames = append(m.Renames, oracle.Rename{Run: runOf(row["run"]), Previous: row["previous_serie"],
				Current: row["current_serie"],
				From:    p.day(time.DateOnly, "first_current_date")})
		case "exchange":
			m.Exchanges = append(m.Exchanges,
				oracle.Exchange{Event: row["event_id"], Revision: int(p.number("revision")),
					Origin:      oracle.Series{Run: runOf(row["origin_run"]), Name: row["origin_serie"]},
					Destination: oracle.Series{Run: runOf(row["destination_run"]), Name: row["destination_serie"]},
					Effective:   p.day(time.DateOnly, "effective_date"),
					Valuation:   p.day(time.DateOnly, "valuation_date"),
					Factor:      row["factor"]})
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil
}
