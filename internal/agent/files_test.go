package agent_test

import (
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/demo"
	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/oracle/backtestoracle"
)

// lastDay is the cutoff of the demo.
var lastDay = time.Date(2025, 7, 20, 0, 0, 0, 0, time.UTC)

// listing is a series of the demo as its files state it.
type listing struct {
	oracle.Series
	id       uint32
	fund     string // name, of the register
	currency string // PESOS or DOLAR
	last     oracle.Row
	tac      *float64 // percent, of the comparator
	family   string
	class    string // of the returns, else of the cost rate
	spheres  string
}

// run is the RUN with its check digit.
func (l listing) run() string { return strconv.Itoa(l.Run) + "-" + oracle.CheckDigit(l.Run) }

// name is RUN and series.
func (l listing) name() string { return l.run() + " " + l.Name }

// files is what the files of the demo say, without the program's statements.
type files struct {
	market    *oracle.Market
	dolar     oracle.Dolar
	managers  map[int]string // names by RUT
	rows      map[oracle.Series]map[string]oracle.Row
	current   []listing // quoted on the last day, by id
	closed    []listing
	backtests *backtestoracle.Prepared
}

func readFiles(t *testing.T) *files {
	t.Helper()
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	sources, err := demo.Sources()
	must(t, err)
	var cartolas []string
	var stated []backtestoracle.File
	for _, source := range sources {
		path := filepath.Join(dir, source.Path)
		stated = append(
			stated,
			backtestoracle.File{Dataset: string(source.Dataset), Path: path, Published: source.Published},
		)
		if source.Dataset == "cartola" {
			cartolas = append(cartolas, path) // the derived one first, because later rows count
		}
	}
	f := &files{dolar: oracle.Dolar{}, managers: map[int]string{}, rows: map[oracle.Series]map[string]oracle.Row{}}
	f.market, err = oracle.Load(cartolas...)
	must(t, err)
	rates := filepath.Join(dir, "macro", "dolar_observado.csv")
	must(t, f.market.LoadRates(rates, filepath.Join(dir, "macro", "uf_diaria.csv")))
	for _, row := range table(t, rates, ',') {
		f.dolar[row["fecha"]] = number(t, row["valor"])
	}
	funds := map[int]string{}
	for _, row := range table(t, filepath.Join(dir, "register", "fm_ident_20250721.txt"), ';') {
		funds[whole(t, row["RUN Fondo"])] = row["Nombre Fondo"]
		f.managers[whole(t, row["RUT Administradora"])] = strings.Join(
			strings.Fields(row["Raz. Social Administradora"]),
			" ",
		)
	}
	listings := map[oracle.Series]*listing{}
	var keys []string
	for _, path := range cartolas {
		text, err := os.ReadFile(path)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			row, err := oracle.Parse(strings.TrimRight(line, "\r\n"))
			if err != nil {
				continue // the header
			}
			series := oracle.Series{Run: row.Run, Name: oracle.SerieName(row.Serie)}
			if f.rows[series] == nil {
				f.rows[series] = map[string]oracle.Row{}
				listings[series] = &listing{Series: series, fund: funds[row.Run],
					currency: map[string]string{"$$": "PESOS", "PROM": "DOLAR"}[row.Moneda]}
				keys = append(keys, oracle.SeriesKey(series.Run, series.Name))
			}
			f.rows[series][row.Day.Format(time.DateOnly)] = row
			if !row.Day.Before(listings[series].last.Day) {
				listings[series].last = row
			}
		}
	}
	ids := oracle.Assign(keys...)
	comparator := filepath.Join(dir, "comparator")
	for _, row := range table(t, filepath.Join(comparator, "cmf_tac_20250930.csv"), ',') {
		if l := listings[oracle.Series{Run: whole(t, row["fo_run"]),
			Name: oracle.SerieName(row["fm_serie"])}]; l != nil &&
			row["tac_sintetica"] != "" {
			l.tac, l.class = new(number(t, row["tac_sintetica"])), row["clase_inversionista"]
		}
	}
	for _, row := range table(t, filepath.Join(comparator, "cmf_rentabilidades_20250930.csv"), ',') {
		if l := listings[oracle.Series{Run: whole(t, row["fo_run"]),
			Name: oracle.SerieName(row["fm_serie"])}]; l != nil {
			l.family, l.class, l.spheres = row["familia_rar"], row["clase_inversionista"], row["ind_rar_pond"]
		}
	}
	for _, l := range slices.SortedFunc(maps.Values(listings), func(a, b *listing) int {
		return int(int64(ids[oracle.SeriesKey(a.Run, a.Name)]) - int64(ids[oracle.SeriesKey(b.Run, b.Name)]))
	}) {
		l.id = ids[oracle.SeriesKey(l.Run, l.Name)]
		if l.last.Day.Equal(lastDay) {
			f.current = append(f.current, *l)
		} else {
			f.closed = append(f.closed, *l)
		}
	}
	loaded, err := backtestoracle.Load(stated...)
	must(t, err)
	f.backtests = loaded.Prepare()
	return f
}

// of returns a series by RUN and name.
func (f *files) of(t *testing.T, run int, name string) listing {
	t.Helper()
	for _, l := range slices.Concat(f.current, f.closed) {
		if l.Run == run && l.Name == name {
			return l
		}
	}
	t.Fatalf("the files have no series %d %s", run, name)
	return listing{}
}

// table reads a file with a header.
func table(t *testing.T, path string, comma rune) (rows []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	from := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	from.Comma, from.LazyQuotes = comma, true
	lines, err := from.ReadAll()
	must(t, err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func whole(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	must(t, err)
	return x
}
