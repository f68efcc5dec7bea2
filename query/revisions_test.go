package query_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cuota/internal/testkit/demotest"
	"cuota/model"
)

// statedLine is a line that a test wrote, as the API has it.
type statedLine struct {
	Date      string       `json:"date"`
	Price     *json.Number `json:"price"`
	Equity    *json.Number `json:"equity"`
	Void      bool         `json:"void"`
	Counts    bool         `json:"counts"`
	Published time.Time    `json:"published_at"`
	Seen      *time.Time   `json:"seen_at"`
	Dataset   string       `json:"dataset"`
	SHA256    string       `json:"sha256"`
	Line      int          `json:"line"`

	serie string
}

// statedDays is the body of days?revisions=all.
type statedDays struct {
	Data []struct {
		Attributes struct {
			Date  string
			Price json.Number
		}
	}
	Revisions []statedLine
	Links     struct{ Next string }
}

// Files state the days of one series again and again, in any order and some at one moment, before and after it was
// renamed. What is expected comes from the lines that the test wrote.
func TestTheRevisionsOfADayAreTheLinesOfItsFiles(t *testing.T) {
	t.Parallel()
	const run, former, current = 60030, "A", "B"
	random := rand.New(rand.NewPCG(40, 1))
	first := time.Date(2025, time.April, 1, 0, 0, 0, 0, time.UTC)
	renamed := first.AddDate(0, 0, 9)
	m := demotest.New(t)
	var lines []statedLine
	state := func(published time.Time, share int, seen *time.Time) {
		var rows []cartolaRow
		for d := range 20 {
			for _, serie := range []string{former, current, "OTHER"} {
				// Of two names that are quoted together for longer, a rename is refused.
				if serie == former && d > 12 || serie == current && d < 6 || random.IntN(100) >= share {
					continue
				}
				row := cartolaRow{run, serie, first.AddDate(0, 0, d), "$$", float64(1+random.IntN(1e6)) / 100,
					float64(random.IntN(1e9))}
				if share < 100 && random.IntN(6) == 0 {
					row.moneda = " "
				}
				rows = append(rows, row)
			}
		}
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		path := writeRows(t, rows)
		text, err := os.ReadFile(path)
		must(t, err)
		hash := sha256.Sum256(text)
		m.Ingest(t, model.Cartola, path, published)
		for i, row := range rows {
			if row.serie == "OTHER" {
				continue
			}
			line := statedLine{Date: row.day.Format(time.DateOnly), Published: published.UTC(), Dataset: "cartola",
				SHA256: hex.EncodeToString(hash[:]), Line: i + 2, Void: row.moneda == " ", Seen: seen, serie: row.serie}
			if !line.Void {
				line.Price = new(json.Number(fmt.Sprintf("%.2f", row.quota)))
				line.Equity = new(json.Number(fmt.Sprintf("%.0f", row.equity)))
			}
			lines = append(lines, line)
		}
	}
	// expected sorts the lines as the API does, and marks those that count.
	expected := func() []statedLine {
		want := slices.Clone(lines)
		slices.SortFunc(want, func(a, b statedLine) int {
			return cmp.Or(cmp.Compare(a.Date, b.Date), a.Published.Compare(b.Published),
				cmp.Compare(a.SHA256, b.SHA256), cmp.Compare(a.Line, b.Line))
		})
		best := map[string]int{}
		valid := func(i int) bool {
			return (want[i].serie == former) == (want[i].Date < renamed.Format(time.DateOnly))
		}
		for i := range want {
			other, there := best[want[i].Date]
			// Later lines count before earlier ones.
			if !there || valid(i) && !valid(other) || valid(i) == valid(other) {
				best[want[i].Date] = i
			}
		}
		for _, i := range best {
			want[i].Counts = true
		}
		return want
	}
	state(demotest.Clock.AddDate(0, 0, -40), 100, nil)
	for range 7 {
		state(demotest.Clock.Add(-time.Duration(random.IntN(4))*time.Hour), 30, nil)
	}
	m.IngestRenames(t, "kind,run,previous_serie,current_serie,first_current_date,source_url,source_sha256\nrename,"+
		fmt.Sprintf("%d,%s,%s,%s,https://example.org/r,%064d\n", run, former, current, renamed.Format(time.DateOnly), 1),
		demotest.Clock.AddDate(0, 0, -50))
	m.Build(t)
	r := newRig(t, m.Options, unlimited)
	address := "/api/real_assets/" + seriesID(run, former) + "/days?revisions=all"
	ask := func(target string) (statedDays, answer) {
		t.Helper()
		got := r.get(t, target)
		wantStatus(t, got, http.StatusOK)
		return decode[statedDays](t, got), got
	}
	compare := func(name string, got, want []statedLine) {
		t.Helper()
		got, want = slices.Clone(got), slices.Clone(want)
		for _, list := range [][]statedLine{got, want} {
			for i := range list {
				list[i].serie = ""
				if list[i].Price != nil {
					list[i].Price = new(plainNumber(t, *list[i].Price))
				}
				if list[i].Equity != nil {
					list[i].Equity = new(plainNumber(t, *list[i].Equity))
				}
			}
		}
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty(), gocmp.AllowUnexported(statedLine{})); diff != "" {
			t.Errorf("%s (-the lines of the files +answered):\n%s", name, diff)
		}
	}

	all, reply := ask(address)
	published, err := time.Parse("2006-01-02T15:04:05.000Z", reply.header.Get("X-Batch-Published-At"))
	must(t, err)
	for i := range lines {
		lines[i].Seen = &published
	}
	want := expected()
	compare("all days", all.Revisions, want)
	prices, void := map[string]json.Number{}, 0
	for _, line := range want {
		if line.Counts && !line.Void {
			prices[line.Date] = plainNumber(t, *line.Price)
		} else if line.Counts {
			void++
		}
	}
	for _, day := range all.Data {
		if price := plainNumber(t, day.Attributes.Price); prices[day.Attributes.Date] != price {
			t.Errorf("%s has the price %s, the line that counts %s", day.Attributes.Date, price, prices[day.Attributes.Date])
		}
	}
	if len(all.Data) != len(prices) || void == 0 || len(want) < 60 {
		t.Errorf("%d days, %d with a price, %d void, %d lines", len(all.Data), len(prices), void, len(want))
	}

	t.Run("each line is on one page", func(t *testing.T) {
		var paged []statedLine
		for next, pages := address+"&limit=4", 0; next != ""; pages++ {
			page, _ := ask(next)
			paged, next = append(paged, page.Revisions...), page.Links.Next
			if pages > 10 {
				t.Fatal("pages without end")
			}
		}
		compare("pages", paged, want)
	})
	t.Run("a period and a day have their lines alone", func(t *testing.T) {
		for query, in := range map[string]func(string) bool{
			"&from_date=2025-04-05&to_date=2025-04-12": func(d string) bool { return d >= "2025-04-05" && d <= "2025-04-12" },
			"&date=2025-04-10":                         func(d string) bool { return d == "2025-04-10" },
			"&from_date=2025-05-01":                    func(string) bool { return false },
		} {
			some := slices.DeleteFunc(slices.Clone(want), func(l statedLine) bool { return !in(l.Date) })
			got, _ := ask(address + query)
			if got.Revisions == nil {
				t.Errorf("%s: no list", query)
			}
			compare(query, got.Revisions, some)
		}
	})
	t.Run("a table has the same lines", func(t *testing.T) {
		rows := readTable(t, "ndjson", r.get(t, address+"&format=ndjson").body, nil)
		if len(rows) != len(want) {
			t.Fatalf("%d rows of %d", len(rows), len(want))
		}
		for i, row := range rows {
			line := want[i]
			var price any
			if line.Price != nil {
				number, err := line.Price.Float64()
				must(t, err)
				price = number
			}
			if row["date"] != line.Date || row["quota"] != price || row["void"] != line.Void ||
				row["counts"] != line.Counts || row["sha256"] != line.SHA256 || row["line"] != float64(line.Line) ||
				row["file"] != "cartola.txt" || row["seen_at"] == nil {
				t.Errorf("row %d is %v, want %+v", i, row, line)
			}
		}
	})
	t.Run("without revisions=all there are none", func(t *testing.T) {
		if got, _ := ask("/api/real_assets/" + seriesID(run, former) + "/days"); got.Revisions != nil {
			t.Errorf("%d revisions", len(got.Revisions))
		}
		wantStatus(t, r.get(t, address+"&revisions=counts"), http.StatusUnprocessableEntity)
	})
	t.Run("a batch has the lines of its own files", func(t *testing.T) {
		before := reply.header.Get("X-Batch-Id")
		state(demotest.Clock.Add(time.Hour), 50, &published)
		tomorrow := demotest.Clock.AddDate(0, 0, 1)
		m.SetClock(tomorrow)
		r.setClock(tomorrow)
		m.Build(t)
		must(t, r.Refresh(t.Context()))
		now, fresh := ask(address)
		later, err := time.Parse("2006-01-02T15:04:05.000Z", fresh.header.Get("X-Batch-Published-At"))
		must(t, err)
		for i := len(want); i < len(lines); i++ {
			lines[i].Seen = &later
		}
		compare("the newest batch", now.Revisions, expected())
		then, _ := ask(address + "&batch_id=" + before)
		compare("the batch before", then.Revisions, want)
	})
}

// plainNumber returns the number without zeros at its end.
func plainNumber(t *testing.T, n json.Number) json.Number {
	t.Helper()
	value, err := n.Float64()
	must(t, err)
	text, err := json.Marshal(value)
	must(t, err)
	return json.Number(text)
}
