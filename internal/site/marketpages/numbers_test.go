package marketpages_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"cuota/model"
)

// shownTable is a table as a reader sees it: without what only screen readers say.
type shownTable struct {
	keys []string // of each column: the parameter sort of its link; "" without one
	rows [][]string
	ids  []string // of each row: the id of the series to which it links; "" without one
}

// tableOf reads the table with an id from a page.
func tableOf(t testing.TB, page, id string) shownTable {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	must(t, err)
	var out shownTable
	for node := range root.Descendants() {
		if node.Type != html.ElementNode || node.Data != "table" || attribute(node, "id") != id {
			continue
		}
		for line := range node.Descendants() {
			if line.Type != html.ElementNode || line.Data != "tr" {
				continue
			}
			var cells []string
			row := ""
			for cell := range line.ChildNodes() {
				if cell.Type != html.ElementNode {
					continue
				}
				cells = append(cells, strings.TrimSpace(shownText(cell)))
				for link := range cell.Descendants() {
					if to, is := strings.CutPrefix(attribute(link, "href"), "/series/"); is {
						row, _, _ = strings.Cut(to, "?")
					}
				}
				if line.Parent.Data == "thead" {
					key := ""
					for link := range cell.Descendants() {
						if u, err := url.Parse(attribute(link, "href")); err == nil && link.Data == "a" {
							key = u.Query().Get("sort")
						}
					}
					out.keys = append(out.keys, key)
				}
			}
			if line.Parent.Data == "tbody" {
				out.rows, out.ids = append(out.rows, cells), append(out.ids, row)
			}
		}
	}
	return out
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// shownText returns the text of a node without its parts of the classes hidden and sub.
func shownText(node *html.Node) string {
	if class := attribute(node, "class"); node.Type == html.ElementNode && (class == "hidden" || class == "sub") {
		return ""
	}
	if node.Type == html.TextNode {
		return node.Data
	}
	var text strings.Builder
	for child := range node.ChildNodes() {
		text.WriteString(shownText(child))
	}
	return text.String()
}

// agrees compares a number in Spanish with a value of the API, up to half a unit of its last
// decimal. A dash stands for null.
func agrees(text string, value *float64) error {
	if text == "—" || value == nil {
		if (text == "—") != (value == nil) {
			return fmt.Errorf("%q is shown for %v", text, value)
		}
		return nil
	}
	if text == "menos de 0,001" {
		if *value <= 0 || *value >= .0005 {
			return fmt.Errorf("%q is shown for %v", text, *value)
		}
		return nil
	}
	plain := strings.NewReplacer(".", "", "\u00a0", "", "+", "", "−", "-").Replace(text)
	plain, percent := strings.CutSuffix(plain, "%")
	_, decimals, _ := strings.Cut(plain, ",")
	number, err := strconv.ParseFloat(strings.ReplaceAll(plain, ",", "."), 64)
	if err != nil {
		return err
	}
	want := *value
	if percent {
		want *= 100
	}
	if math.Abs(number-want) > .5*math.Pow10(-len(decimals))+1e-9*math.Abs(want) {
		return fmt.Errorf("%q is shown for %v", text, *value)
	}
	return nil
}

type apiPeriods map[string]struct {
	Value *float64 `json:"value"`
}

func fromAPI[T any](s *servedSite, target string) (reply T) {
	s.t.Helper()
	status, _, body := s.get(target)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", target, status, body)
	}
	must(s.t, json.Unmarshal([]byte(body), &reply))
	return reply
}

// windowWords are the windows by what the page of a series calls them.
var windowWords = map[string]string{
	"1 mes": "1m", "último mes cerrado": "last_closed_month", "3 meses": "3m", "6 meses": "6m", "este año": "ytd",
	"1 año": "1y", "3 años, por año": "3y_ann", "5 años, por año": "5y_ann",
}

func TestTheNumbersOfPagesAreThoseOfTheAPIForTwoHundredSeries(t *testing.T) {
	s := synthetic(t)
	type screened struct {
		Data []struct {
			ID         string `json:"id"`
			Attributes struct {
				TAC          *float64 `json:"tac"`
				Equity       *float64 `json:"patrimony"`
				Shareholders *float64 `json:"shareholders"`
				Volatility   *float64 `json:"volatility_annualized_12m"`
				Returns      struct {
					Periods apiPeriods `json:"periods"`
				} `json:"returns"`
			} `json:"attributes"`
		} `json:"data"`
	}
	api := fromAPI[screened](s, "/api/screener?limit=200&sort=tac_by_kind&held=true")
	if len(api.Data) < 190 { // one of the first 200 may have no holders
		t.Fatalf("the market has %d series", len(api.Data))
	}
	compared, missing := 0, 0
	check := func(where, text string, value *float64) {
		t.Helper()
		if err := agrees(text, value); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		if compared++; value == nil {
			missing++
		}
	}
	for offset := 0; offset < len(api.Data); offset += 50 {
		_, _, page := s.get(fmt.Sprintf("/fondos?lang=es&columnas=tac,%s&offset=%d", strings.Join(model.Windows, ","),
			offset))
		shown := tableOf(t, page, "series")
		_, _, page = s.get(fmt.Sprintf("/fondos?lang=es&columnas=volatility,equity,shareholders&offset=%d", offset))
		sizes := tableOf(t, page, "series")
		if len(shown.rows) != min(50, len(api.Data)-offset) {
			t.Fatalf("a page shows %d series", len(shown.rows))
		}
		for i, cells := range shown.rows {
			of := api.Data[offset+i]
			if shown.ids[i] != of.ID {
				t.Fatalf("row %d is series %s, want %s", offset+i, shown.ids[i], of.ID)
			}
			for column, key := range shown.keys {
				if key == "tac_by_kind" {
					check(of.ID+" TAC", cells[column], of.Attributes.TAC)
				} else if slices.Contains(model.Windows, key) {
					check(of.ID+" "+key, cells[column], of.Attributes.Returns.Periods[key].Value)
				}
			}
			if len(sizes.rows) != len(shown.rows) || sizes.ids[i] != of.ID {
				t.Fatalf("row %d is another series with other columns", offset+i)
			}
			cells = sizes.rows[i]
			last := len(cells) - 1
			check(of.ID+" shareholders", cells[last], of.Attributes.Shareholders)
			check(of.ID+" equity", strings.TrimSuffix(cells[last-1], "\u00a0US$"), of.Attributes.Equity)
			check(of.ID+" volatility", cells[last-2], of.Attributes.Volatility)
		}
	}
	for _, of := range api.Data {
		_, _, page := s.get("/series/" + of.ID + "?lang=es")
		shown := tableOf(t, page, "tabla-rentabilidades")
		type returns struct {
			Data struct {
				Attributes struct {
					Periods apiPeriods `json:"periods"`
				} `json:"attributes"`
			} `json:"data"`
		}
		periods := fromAPI[returns](s, "/api/real_assets/"+of.ID+"/returns").Data.Attributes.Periods
		if len(shown.rows) != len(model.Windows) {
			t.Fatalf("the page of series %s shows %d windows", of.ID, len(shown.rows))
		}
		for _, cells := range shown.rows {
			window, known := windowWords[cells[0]]
			if !known {
				t.Fatalf("the page of series %s has a window %q", of.ID, cells[0])
			}
			check("page of "+of.ID+" "+window, cells[1], periods[window].Value)
		}
	}
	if compared < 3500 || missing < 200 || compared-missing < 2000 {
		t.Errorf("%d numbers were compared, %d of them missing: that proves too little", compared, missing)
	}
}

// Series without a family have the equity of the managers that no family has.
func TestFamiliesAndSeriesWithoutOneAddUpToTheManagers(t *testing.T) {
	s := synthetic(t)
	_, _, file := s.get("/?lang=es&archivo=familias.csv")
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\ufeff")))
	reader.Comma, reader.FieldsPerRecord = ';', -1
	records, err := reader.ReadAll()
	must(t, err)
	at := slices.IndexFunc(records[0], func(title string) bool { return strings.HasPrefix(title, "Patrimonio") })
	sum, last := 0.0, records[len(records)-1]
	for _, record := range records[1:] {
		equity, err := strconv.ParseFloat(strings.ReplaceAll(record[at], ",", "."), 64)
		must(t, err)
		sum += equity
	}
	total := 0.0
	for _, of := range fromAPI[struct {
		Data []struct {
			Attributes struct {
				Equity float64 `json:"total_patrimony"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/agf_stats/ranking?metric=patrimony").Data {
		total += of.Attributes.Equity / 1e6
	}
	if !strings.HasPrefix(last[0], "Sin familia") || math.Abs(sum-total) > 1e-3*total {
		t.Errorf("families have %v with the row %q, managers %v", sum, last, total)
	}
}
