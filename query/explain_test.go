package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// givenReceipt is an answer of GET /api/explain.
type givenReceipt struct {
	Data struct {
		Attributes struct {
			Value, Reason *string
			Unit          string
			Inputs        []map[string]any
		}
	}
}

// wordsOfReceipts are the parts of a receipt that are words, or that only the server knows.
var wordsOfReceipts = regexp.MustCompile(`\.(file|seen_at|published_at)$|attributes\.unit$|\.rule\.|^data\.(id|type)$`)

// checker runs verify/receipt.py over receipts and the files of the demo, and returns what it printed.
func checker(t *testing.T, files string, receipts ...[]byte) (printed string, right bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), tool(t, "python3"), "../verify/receipt.py", "-", files)
	command.Stdin = bytes.NewReader(bytes.Join(receipts, []byte("\n")))
	out, err := command.CombinedOutput()
	return string(out), err == nil
}

// The checker shares no code with the program, and reads the demo's own files.
func TestReceiptsAreRecomputedFromTheFilesAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	files := demoFiles(t)
	random := rand.New(rand.NewPCG(40, 2))
	ids := []string{seriesID(9809, "B"), seriesID(9809, "A"), seriesID(9810, "B")}
	for range longtest.Times(3) {
		ids = append(ids, anySeries(t, r, random))
	}
	var receipts [][]byte
	values, reasons := 0, map[string]int{}
	for _, id := range ids {
		for range longtest.Times(4) {
			date := time.Date(2019, time.October, 1+random.IntN(2150), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			returns := decode[struct {
				Data struct {
					Attributes struct {
						Periods map[string]struct {
							Value  *float64
							Reason *string
						}
					}
				}
			}](t, r.get(t, "/api/real_assets/"+id+"/returns?as_of_date="+date)).Data.Attributes.Periods
			for _, window := range model.Windows {
				got := r.get(t, fmt.Sprintf("/api/explain?series=%s&field=return&window=%s&date=%s", id, window, date))
				made := decode[givenReceipt](t, got).Data.Attributes
				want := returns[window]
				switch {
				case want.Value == nil && made.Value == nil && want.Reason != nil && made.Reason != nil &&
					*want.Reason == *made.Reason:
					reasons[*made.Reason]++
				case want.Value != nil && made.Value != nil && made.Reason == nil:
					value, err := strconv.ParseFloat(*made.Value, 64)
					must(t, err)
					if math.Abs(value-*want.Value) > 1e-12 {
						t.Errorf("%s of series %s at %s: the receipt has %v, returns %v", window, id, date, value, *want.Value)
					}
					values++
				default:
					t.Errorf("%s of series %s at %s: the receipt has %s, returns %+v", window, id, date, got.body, want)
				}
				receipts = append(receipts, bytes.TrimSpace(got.body))
			}
			got := r.get(t, fmt.Sprintf("/api/explain?series=%s&date=%s", id, date))
			wantStatus(t, got, http.StatusOK)
			receipts = append(receipts, bytes.TrimSpace(got.body))
		}
	}
	if values < 8 || len(reasons) < 2 {
		t.Errorf("%d values and the reasons %v: this proves too little", values, reasons)
	}
	if printed, right := checker(t, files, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}

	t.Run("a receipt that was changed is rejected", func(t *testing.T) {
		old, young := seriesID(9809, "B"), seriesOfOneDay(t, r)
		for what, query := range map[string]string{
			"a return": "series=" + old + "&field=return&window=3y_ann&date=2025-07-18",
			// Two files state this day.
			"a return that a line lost":  "series=" + old + "&field=return&window=1m&date=2025-07-20",
			"a quota":                    "series=" + old + "&date=2025-07-18",
			"a return that is not there": "series=" + young + "&field=return&window=1y&date=2025-07-20",
		} {
			sound := bytes.TrimSpace(r.get(t, "/api/explain?"+query).body)
			if printed, right := checker(t, files, sound); !right {
				t.Fatalf("%s: %s", what, printed)
			}
			absent := strings.Contains(string(sound), `"value":null`)
			if absent != (what == "a return that is not there") ||
				strings.Contains(string(sound), `"counts":false`) != (what == "a return that a line lost") {
				t.Errorf("%s: %s", what, sound)
			}
			var changed [][]byte
			var paths []string
			for _, place := range leavesOf(t, sound) {
				path := strings.Join(place.path, ".")
				if !wordsOfReceipts.MatchString(path) && !(absent && strings.HasSuffix(path, ".unit")) {
					changed, paths = append(changed, place.changed), append(paths, path)
				}
			}
			if len(changed) < 10 {
				t.Errorf("%s: only %d places were changed", what, len(changed))
			}
			printed, _ := checker(t, files, changed...)
			for i, path := range paths {
				if !strings.Contains("\n"+printed, fmt.Sprintf("\n%d: wrong: ", i+1)) {
					t.Errorf("%s: with another %s the checker accepts %s", what, path, changed[i])
				}
			}
		}
	})
	t.Run("what can't be explained is refused", func(t *testing.T) {
		for _, query := range []string{"", "series=1161378270&field=return", "series=1161378270&window=1y",
			"series=1161378270&date=2999-01-01", "series=x", "series=1161378270&field=risk"} {
			wantStatus(t, r.get(t, "/api/explain?"+query), http.StatusUnprocessableEntity)
		}
		wantStatus(t, r.get(t, "/api/explain?series=1"), http.StatusNotFound)
	})
}

// anySeries draws a series of the market.
func anySeries(t *testing.T, r *rig, random *rand.Rand) string {
	t.Helper()
	rows := decode[items](t, r.get(t, fmt.Sprintf("/api/screener?limit=1&offset=%d", random.IntN(2800)))).Data
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows[0].ID
}

// seriesOfOneDay returns a series that the demo has one day of.
func seriesOfOneDay(t *testing.T, r *rig) (id string) {
	t.Helper()
	must(t, r.conn.QueryRow(t.Context(), "SELECT toString(min(series_id)) FROM current_series WHERE first_date = last_date").
		Scan(&id))
	return id
}

// changedPlace is JSON in which the value at a path is another one.
type changedPlace struct {
	path    []string
	changed []byte
}

// leavesOf returns the JSON with each of its texts, numbers and truths changed, one at a time.
func leavesOf(t *testing.T, body []byte) (places []changedPlace) {
	t.Helper()
	var visit func(path []string, at any, set func(any))
	var root any
	must(t, json.Unmarshal(body, &root))
	visit = func(path []string, at any, set func(any)) {
		try := func(other any) {
			set(other)
			text, err := json.Marshal(root)
			must(t, err)
			places = append(places, changedPlace{path, text})
			set(at)
		}
		switch value := at.(type) {
		case map[string]any:
			for name, of := range value {
				visit(slices.Concat(path, []string{name}), of, func(other any) { value[name] = other })
			}
		case []any:
			for i, of := range value {
				visit(slices.Concat(path, []string{strconv.Itoa(i)}), of, func(other any) { value[i] = other })
			}
		case string:
			if value != "" {
				first := "7"
				if value[0] == '7' {
					first = "3"
				}
				try(first + value[1:])
			}
		case float64:
			try(value + 1)
		case bool:
			try(!value)
		}
	}
	visit(nil, root, func(any) {})
	return places
}
