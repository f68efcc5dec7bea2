package query_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oddfiles"
)

// oddMarket is a market of generated files with odd content.
type oddMarket struct {
	fileMarket
	files map[string]oddfiles.File
}

// newOddMarket takes in a file of each of the kinds.
func newOddMarket(t *testing.T, seed uint64, kinds ...string) oddMarket {
	t.Helper()
	m := oddMarket{newFileMarket(t), map[string]oddfiles.File{}}
	for _, kind := range kinds {
		file := oddfiles.New(kind, seed)
		m.files[kind] = file
		path := filepath.Join(t.TempDir(), file.Name)
		must(t, os.WriteFile(path, file.Content, 0o600))
		if report := m.market.Ingest(t, file.Dataset, path, oddfiles.Published); report.Refused {
			t.Fatalf("%s: %+v", file.Name, report)
		}
	}
	m.build(t)
	return m
}

// items returns the attributes of all items of a list.
func (m oddMarket) items(t *testing.T, target string) (list []map[string]any) {
	t.Helper()
	for target != "" {
		got := m.get(t, target)
		wantStatus(t, got, 200)
		var page struct{ Data []map[string]any }
		decoder := json.NewDecoder(bytes.NewReader(got.body))
		decoder.UseNumber()
		must(t, decoder.Decode(&page))
		for _, item := range page.Data {
			if attributes, has := item["attributes"].(map[string]any); has {
				attributes["id"] = item["id"]
				item = attributes
			}
			list = append(list, item)
		}
		target = next(t, got)
	}
	return list
}

// plainly writes a value of JSON or of a generator: numbers as fractions, no value as "".
func plainly(value any) string {
	text := ""
	switch value := value.(type) {
	case nil:
	case json.Number:
		text = value.String()
	default:
		text = fmt.Sprint(value)
	}
	if number, is := new(big.Rat).SetString(text); is {
		return number.RatString()
	}
	return text
}

// joined writes fields of a row as one text.
func joined(row map[string]any, names ...string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = plainly(row[name])
	}
	return strings.Join(texts, "|")
}

// oddSeeds are the files of a test.
func oddSeeds() []uint64 {
	if testing.Short() {
		return []uint64{1}
	}
	return []uint64{1, 2, 3}
}

// isoOf is the currency of the API for a word of the files.
var isoOf = map[any]any{"$$": "CLP", "PROM": "USD"}

// The generator states what a file holds before it writes it, and knows nothing of the program.
func TestWhatOddFilesOfInvestmentFundsHoldIsAnswered(t *testing.T) {
	t.Parallel()
	for _, seed := range oddSeeds() {
		m := newOddMarket(t, seed, "fi-register", "fi-values")
		names := []string{"date", "currency", "book_value", "economic_value", "equity", "total_assets", "contributors",
			"institutional", "agency"}
		shown := []string{"date", "currency", "valor_libro", "valor_economico", "patrimonio_neto", "activo_total",
			"n_aportantes", "n_aportantes_institucionales", "agencia"}
		want, void := map[string][]string{}, map[string]bool{}
		values := m.files["fi-values"]
		for _, line := range values.Kept() {
			row := map[string]any{}
			for name, value := range line.Fields {
				row[name] = value
			}
			row["currency"] = isoOf[row["currency"]]
			if book, is := new(big.Rat).SetString(plainly(row["book_value"])); !is || book.Sign() <= 0 {
				row["book_value"] = nil // RULES 1: a quota that is not above 0 is none
			}
			of := joined(line.Fields, "run", "serie")
			want[of] = append(want[of], joined(row, names...))
		}
		for _, line := range values.Lines {
			if line.Reason != "" && line.Fields["run"] != nil && line.Fields["serie"] != nil &&
				line.Fields["date"] != nil {
				void[joined(line.Fields, "run", "serie", "date")] = true
			}
		}
		got := map[string][]string{}
		for _, instrument := range m.items(t, "/api/fi/instruments?limit=100&status=all") {
			run := strings.Split(instrument["run"].(string), "-")[0]
			if instrument["serie"] == nil {
				continue
			}
			of := plainly(run) + "|" + plainly(instrument["serie"])
			for _, day := range m.items(t, "/api/fi/instruments/"+instrument["id"].(string)+"/prices") {
				row := joined(day, shown...)
				if day["valor_libro"] == nil && day["patrimonio_neto"] == nil && day["activo_total"] == nil &&
					void[of+"|"+plainly(day["date"])] {
					continue // of a row that could not be read
				}
				got[of] = append(got[of], row)
			}
		}
		for _, rows := range want {
			slices.Sort(rows)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: values differ (-stated +answered):\n%s", seed, diff)
		}
		if len(want) < 20 {
			t.Errorf("seed %d: only %d series to compare", seed, len(want))
		}
	}
}

func TestWhatOddFilesOfPortfoliosHoldIsAnswered(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	for _, seed := range oddSeeds() {
		for _, kind := range []string{"holdings-national", "holdings-investment"} {
			m := newOddMarket(t, seed, kind)
			want := map[string][]string{}
			for _, line := range m.files[kind].Kept() {
				market := line.Fields["market"]
				if market == nil {
					market = "N" // of which the file is
				}
				if words := map[any]string{"N": "nacional", "E": "extranjera"}; words[market] != "" {
					run := plainly(line.Fields["run"])
					want[run] = append(want[run], words[market]+"|"+
						joined(line.Fields, "nemotecnico", "issuer", "country", "instrument", "valuation_thousands",
							"percent"))
				}
			}
			for run, rows := range want {
				var got []string
				for _, position := range m.items(t, "/api/funds/"+run+"/cartera/holdings?month=2025-06") {
					got = append(got, joined(position, "market", "nemotecnico", "emisor", "pais", "tipo_instrumento",
						"valorizacion", "pct_activo_fondo"))
				}
				slices.Sort(got)
				slices.Sort(rows)
				if diff := gocmp.Diff(rows, got); diff != "" {
					t.Errorf("%s, seed %d, fund %s (-stated +answered):\n%s", kind, seed, run, diff)
				}
			}
			if len(want) < 10 {
				t.Errorf("%s, seed %d: only %d funds to compare", kind, seed, len(want))
			}
		}
	}
}

// Which fund a row of a cost sheet is about is found by names, which other tests prove.
func TestWhatOddCostSheetsHoldIsStored(t *testing.T) {
	t.Parallel()
	m := oddMarket{newFileMarket(t), nil}
	for _, seed := range append(oddSeeds(), 7, 8, 9) {
		file := oddfiles.New("tac-monthly", seed)
		path := filepath.Join(t.TempDir(), file.Name)
		must(t, os.WriteFile(path, file.Content, 0o600))
		if report := m.market.Ingest(t, file.Dataset, path, oddfiles.Published); report.Refused {
			t.Fatalf("%+v", report)
		}
		m.market.Settle(t)
		var want []string
		for _, line := range file.Kept() {
			want = append(want, fmt.Sprint(line.Number)+"|"+joined(line.Fields, "date", "manager", "fund", "currency",
				"serie",
				"fixed_percent", "variable_percent", "expenses_percent", "total_percent", "placement_fee"))
		}
		rows, err := m.market.Conn.Query(t.Context(), `SELECT source_line, toString(date), manager, fund, moneda, serie,
			toString(fixed_percent), toString(variable_percent), toString(expenses_percent), toString(total_percent), placement_fee
			FROM fact_monthly_tac FINAL WHERE source_sha256 = $1 ORDER BY source_line`,
			fmt.Sprintf("%x", sha256.Sum256(file.Content)))
		must(t, err)
		var got []string
		for rows.Next() {
			var line uint32
			var date, manager, fund, currency, serie, placement string
			var fixed, variable, expenses, total *string
			must(t, rows.Scan(&line, &date, &manager, &fund, &currency, &serie, &fixed, &variable, &expenses, &total,
				&placement))
			texts := []string{fmt.Sprint(line), date, plainly(manager), plainly(fund), plainly(currency),
				plainly(serie)}
			for _, rate := range []*string{fixed, variable, expenses, total} {
				if rate == nil {
					rate = new(string)
				}
				texts = append(texts, plainly(*rate))
			}
			got = append(got, strings.Join(append(texts, plainly(placement)), "|"))
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
		if diff := gocmp.Diff(want, got); diff != "" || len(want) < 20 {
			t.Errorf("seed %d: %d rows differ (-stated +stored):\n%s", seed, len(want), diff)
		}
	}
}

func TestWhatOddFilesOfBenchmarksHoldIsAnswered(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, seed := range oddSeeds() {
		m := newOddMarket(t, seed, "benchmarks", "benchmark-prices")
		var want []string
		families := map[string]string{} // the symbols of each
		for _, line := range m.files["benchmarks"].Kept() {
			if line.Fields["active"] == true {
				want = append(want, joined(line.Fields, "family_rar", "symbol", "index_name", "instrument_name",
					"native_currency", "asset_class"))
				families[line.Fields["family_rar"].(string)] += " " + line.Fields["symbol"].(string) + " "
			}
		}
		var got []string
		for _, of := range m.items(t, "/api/benchmarks") {
			got = append(got, joined(of, "family_rar", "symbol", "index_name", "instrument_name", "native_currency",
				"asset_class"))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: benchmarks differ (-stated +answered):\n%s", seed, diff)
		}
		prices := map[string][]string{}
		for _, line := range m.files["benchmark-prices"].Kept() {
			of := line.Fields["symbol"].(string)
			prices[of] = append(prices[of], joined(line.Fields, "date", "close"))
		}
		for family, symbols := range families {
			target := "/api/benchmarks/" + url.PathEscape(family) + "/prices"
			symbol := decode[benchmarkPrices](t, m.get(t, target)).Meta["symbol"].(string)
			if !strings.Contains(symbols, " "+symbol+" ") {
				t.Errorf("seed %d: the benchmark of %s is %s, stated are%s", seed, family, symbol, symbols)
			}
			var answered []string
			for _, day := range m.items(t, target) {
				answered = append(answered, joined(day, "date", "close"))
			}
			stated := prices[symbol]
			slices.SortFunc(stated, func(a, b string) int { return cmp.Compare(a[:10], b[:10]) })
			if diff := gocmp.Diff(stated, answered); diff != "" {
				t.Errorf("seed %d: prices of %s differ (-stated +answered):\n%s", seed, symbol, diff)
			}
			compared += len(answered)
		}
	}
	if compared < 20 {
		t.Errorf("only %d prices were compared", compared)
	}
}
