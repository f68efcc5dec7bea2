package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query/receipt"
)

// Each point of an index and each of its changes has a receipt with the number of the API, and the checker computes it
// again from the lines of the members. The market has corrections, errors, distributions, splits and closed series.
func TestReceiptsOfIndicesFollowFromTheirMembers(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "market")
	_, err := synth.Write(t.Context(), dir, synth.Config{Series: 160, Days: 70, Seed: 41,
		End: model.NewDate(2025, time.July, 20), Bad: synth.DefaultBad}, nil)
	must(t, err)
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	random := rand.New(rand.NewPCG(40, 8))
	correctSome(t, m, dir, random)
	m.Build(t)
	r := newRig(t, m.Options, unlimited)
	var families []struct {
		Family   string `ch:"family_rar"`
		Currency string `ch:"currency"`
	}
	must(t, r.conn.Select(t.Context(), &families, "SELECT DISTINCT family_rar, currency FROM current_index_day ORDER BY 1, 2"))
	var receipts [][]byte
	seen, kept := map[string]int{}, map[string][]byte{}
	ask := func(family, currency, field, date string) (*receipt.Receipt, []byte) {
		got := r.get(t, "/api/explain?"+url.Values{"family": {strings.ToUpper(family)}, "currency": {currency}, "field": {field},
			"date": {date}}.Encode())
		wantStatus(t, got, http.StatusOK)
		sound := bytes.TrimSpace(got.body)
		receipts = append(receipts, sound)
		return receiptOf(t, sound), sound
	}
	for _, of := range families {
		points := decode[familyIndex](t, r.get(t, "/api/families/"+url.PathEscape(of.Family)+"/index?currency="+of.Currency)).Data
		if len(points) == 0 {
			continue
		}
		days := []int{0, max(0, len(points)-3), max(0, len(points)-2), len(points) - 1}
		for range longtest.Times(12) {
			days = append(days, random.IntN(len(points)))
		}
		for i := 1; i < len(points); i++ { // also where a day is passed over, or the level carries on
			if gap := daysBetween(t, points[i-1].Date, points[i].Date); gap > 1 && seen[fmt.Sprint("gap of ", gap)] < 2 {
				seen[fmt.Sprint("gap of ", gap)]++
				days = append(days, i)
			}
		}
		for _, i := range days {
			point := points[i]
			level, sound := ask(of.Family, of.Currency, "index", point.Date)
			sameNumber(t, of.Family+" at "+point.Date, level, &point.Value)
			change, ofChange := ask(of.Family, of.Currency, "index_change", point.Date)
			sameNumber(t, "the change of "+of.Family+" at "+point.Date, change, point.Change)
			switch {
			case point.Change != nil:
				seen["step"]++
				kept["a level"], kept["a change"] = sound, ofChange
				if bytes.Contains(sound, []byte(`"member_factor"`)) {
					seen["factor"]++
					kept["a level with a factor"] = sound
				}
				if bytes.Contains(sound, []byte(`"counts":false`)) {
					seen["corrected"]++
				}
			case i == 0:
				seen["base"]++
			default:
				seen["carried on"]++
			}
		}
		none, _ := ask(of.Family, of.Currency, "index", model.NewDate(2024, time.January, random.IntN(28)).String())
		sameNumber(t, of.Family+" before its index", none, nil)
	}
	if seen["step"] < 20 || seen["base"] < 3 || seen["factor"] == 0 || seen["corrected"] == 0 {
		t.Errorf("%v: this proves too little", seen)
	}
	if printed, right := checker(t, dir, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}
	t.Run("the newest point of the currency with most equity answers without a date", func(t *testing.T) {
		family := families[len(families)-1].Family
		index := decode[familyIndex](t, r.get(t, "/api/families/"+url.PathEscape(family)+"/index"))
		got := r.get(t, "/api/explain?field=index&family="+url.QueryEscape(family))
		if len(index.Data) == 0 {
			sameNumber(t, family, receiptOf(t, got.body), nil)
			return
		}
		sameNumber(t, family, receiptOf(t, got.body), &index.Data[len(index.Data)-1].Value)
	})
	t.Run("a receipt that was changed is rejected", func(t *testing.T) {
		for what, sound := range kept {
			rejectsChanges(t, "an index: "+what, dir, sound)
		}
	})
	t.Run("what the rule forbids is rejected, although each line is right", func(t *testing.T) {
		for what, change := range map[string]func(*receipt.Receipt){
			"a member that is left out": func(of *receipt.Receipt) {
				of.Inputs = slices.Delete(of.Inputs, 1, 2)
			},
			"two members": func(of *receipt.Receipt) { keepMembers(of, 2) },
			"a member twice": func(of *receipt.Receipt) {
				count := memberCount(of)
				for block := range 3 {
					of.Inputs[1+block*count] = of.Inputs[2+block*count]
				}
			},
			"the start and the end of a member swapped": func(of *receipt.Receipt) {
				count := memberCount(of)
				of.Inputs[1], of.Inputs[1+count] = of.Inputs[1+count], of.Inputs[1]
				of.Inputs[1].Name, of.Inputs[1+count].Name = "member_end", "member_start"
			},
			"a level of another day": func(of *receipt.Receipt) {
				of.Inputs[0].Date = new(of.Inputs[0].Date.AddDays(-1))
			},
			"no level before": func(of *receipt.Receipt) {
				of.Inputs, of.Formula = of.Inputs[1:], new(receipt.Number(100))
			},
		} {
			of := receiptOf(t, kept["a level"])
			change(of)
			if found, err := of.Formula.Eval(of.Inputs); err == nil {
				must(t, of.SetValue(found, *of.Formula))
			}
			forged, err := json.Marshal(map[string]any{"data": map[string]any{"attributes": of}})
			must(t, err)
			if printed, right := checker(t, dir, forged); right || !strings.Contains(printed, "1: wrong: ") {
				t.Errorf("%s: the checker says %s", what, printed)
			}
		}
	})
	t.Run("what can't be explained is refused", func(t *testing.T) {
		for _, query := range []string{"field=index", "field=index&series=1161378270&family=x", "family=x&series=1161378270",
			"field=index&family=x&window=1y", "field=index&family=x&currency=EUR", "field=index&family=x&basis=total"} {
			wantStatus(t, r.get(t, "/api/explain?"+query), http.StatusUnprocessableEntity)
		}
		unknown := receiptOf(t, r.get(t, "/api/explain?field=index&family=none").body)
		if sameNumber(t, "an unknown family", unknown, nil); unknown.Reason == nil || *unknown.Reason != "no_index_point" {
			t.Errorf("an unknown family: %+v", unknown)
		}
	})
}

// correctSome ingests a file that corrects some quotes of the last month, and states a distribution of some others.
func correctSome(t *testing.T, m *demotest.Market, dir string, random *rand.Rand) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "ffmm_sintetico_202507*"))
	must(t, err)
	if len(paths) != 1 {
		t.Fatalf("the last month is in %v", paths)
	}
	text, err := os.ReadFile(paths[0])
	must(t, err)
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	changed := rows[:1]
	for _, row := range rows[1:] {
		fields := strings.Split(strings.TrimRight(row, "\r"), ";")
		quota, err := strconv.ParseFloat(fields[12], 64)
		if err != nil || len(fields) != 25 || fields[24] != "" || random.IntN(4) > 0 {
			continue
		}
		if fields[12] = fmt.Sprintf("%.4f", quota*1.001); random.IntN(5) == 0 {
			fields[24] = "1.002"
		}
		changed = append(changed, strings.Join(fields, ";"))
	}
	ingestLines(t, m, model.Cartola, filepath.Join(dir, "corrected.txt"), changed, 0)
}

// memberCount is how many members the receipt of a level has.
func memberCount(of *receipt.Receipt) (count int) {
	for _, input := range of.Inputs {
		if input.Name == "member_end" {
			count++
		}
	}
	return count
}

// keepMembers makes the receipt of a level one of its first members alone, with a formula of them.
func keepMembers(of *receipt.Receipt, keep int) {
	count := memberCount(of)
	inputs := of.Inputs[:1]
	for block := range 3 {
		inputs = append(slices.Clone(inputs), of.Inputs[1+block*count:1+block*count+keep]...)
	}
	var weighed, weights []receipt.Formula
	for i := range keep {
		equity := receipt.In(1 + 2*keep + i)
		weights = append(weights, equity)
		weighed = append(weighed, receipt.Product(equity, receipt.Quotient(receipt.In(1+i), receipt.In(1+keep+i))))
	}
	of.Inputs = inputs
	of.Formula = new(receipt.Product(receipt.In(0), receipt.Quotient(receipt.Sum(weighed...), receipt.Sum(weights...))))
}

// sameNumber compares the value of a receipt with the number that it is of; nil: none, so there is a reason.
func sameNumber(t *testing.T, what string, of *receipt.Receipt, want *float64) {
	t.Helper()
	switch {
	case want == nil && of.Value == nil && of.Reason != nil && of.Formula == nil:
	case want == nil || of.Value == nil || of.Reason != nil:
		t.Errorf("%s: the receipt is %+v, want %v", what, of, want)
	default:
		var value float64
		_, err := fmt.Sscan(*of.Value, &value)
		must(t, err)
		if math.Abs(value-*want) > 1e-12*max(1, math.Abs(*want)) {
			t.Errorf("%s: the receipt has %v, the API %v", what, value, *want)
		}
	}
}

func daysBetween(t *testing.T, from, to string) int {
	t.Helper()
	first, err := model.ParseDate(from)
	must(t, err)
	last, err := model.ParseDate(to)
	must(t, err)
	return last.DaysSince(first)
}
