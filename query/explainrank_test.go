package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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

// rankedMarket is an invented market of three and a half years with three series whose quotas never change, so that
// their returns and their risk are equal.
type rankedMarket struct {
	*rig
	files string
	ids   []string // of all series
}

const rankedDays, constantRun = 1200, 60090

var rankedEnd = model.NewDate(2025, time.July, 20)

func newRankedMarket(t *testing.T) rankedMarket {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "market")
	_, err := synth.Write(t.Context(), dir, synth.Config{Series: 48, Days: rankedDays, Seed: 42, End: rankedEnd,
		Bad: synth.DefaultBad}, nil)
	must(t, err)
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	found, err := filepath.Glob(filepath.Join(demoFiles(t), "cartola", "*.txt"))
	must(t, err)
	text, err := os.ReadFile(found[0])
	must(t, err)
	header, _, _ := strings.Cut(string(text), "\n")
	lines := []string{strings.TrimRight(header, "\r")}
	for d := range rankedDays {
		day := strings.ReplaceAll(rankedEnd.AddDays(-d).String(), "-", "")
		for _, serie := range []string{"X", "Y", "Z"} {
			lines = append(lines, fmt.Sprintf("77057272;UNA AGF;%d;%s;100000;$$;N;0;%s;0;0;1;1000.0000;1000;5;0;N;0;0;0;0;0;0;;",
				constantRun, day, serie))
		}
	}
	ingestLines(t, m, model.Cartola, filepath.Join(dir, "constant.txt"), lines, 1)
	m.Build(t)
	of := rankedMarket{rig: newRig(t, m.Options, unlimited), files: dir}
	must(t, of.conn.QueryRow(t.Context(), "SELECT groupArray(toString(series_id)) FROM (SELECT series_id FROM current_series ORDER BY 1)").
		Scan(&of.ids))
	return of
}

// peersOf asks for the list of the peers of a receipt at the address that the receipt names.
func (m rankedMarket) peersOf(t *testing.T, of *receipt.Receipt) (list receipt.List, body []byte) {
	t.Helper()
	got := m.get(t, of.Peers.Address)
	var item struct {
		Data struct{ Attributes receipt.List }
	}
	wantStatus(t, got, http.StatusOK)
	must(t, json.Unmarshal(got.body, &item))
	return item.Data.Attributes, bytes.TrimSpace(got.body)
}

// receiptsOf asks for the receipts of all values of a list.
func (m rankedMarket) receiptsOf(t *testing.T, list receipt.List) (receipts [][]byte) {
	t.Helper()
	for _, peer := range list.Peers {
		for i, address := range peer.Receipts {
			got := m.get(t, address)
			made := receiptOf(t, got.body)
			if made.Value == nil || made.Subject.Series != peer.Series || made.Subject.Field != list.Fields[i] {
				t.Fatalf("%s of %s: %s", address, peer.Series, got.body)
			}
			receipts = append(receipts, bytes.TrimSpace(got.body))
		}
	}
	return receipts
}

// screenedReturn is a row of GET /api/screener.
type screenedReturn struct {
	ID         string
	Attributes struct {
		Currency   *string
		FundFamily *string
		Returns    struct{ Periods map[string]screenedPeriod }
	}
}

type screenedPeriod struct {
	Value            *float64
	Currency, Reason *string
}

// placeInList is the place of a series by a return in a list, and how many series are left out for each reason: counted
// anew, in the order of no row.
func placeInList(rows []screenedReturn, own screenedReturn, window string) (place, ranked int, out map[string]int) {
	id := func(of screenedReturn) uint64 {
		number, _ := strconv.ParseUint(of.ID, 10, 32) // as the API writes it
		return number
	}
	value := own.Attributes.Returns.Periods[window].Value
	place, out = 1, map[string]int{}
	for _, row := range rows {
		switch other := row.Attributes.Returns.Periods[window]; {
		case other.Value == nil:
			out[*other.Reason]++
			continue
		case *other.Currency != *own.Attributes.Currency:
			out["currency_change"]++
			continue
		case value != nil && (*other.Value > *value || *other.Value == *value && id(row) < id(own)):
			place++
		}
		ranked++
	}
	return place, ranked, out
}

func TestReceiptsOfRanksFollowFromTheListOfPeers(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := newRankedMarket(t)
	t.Run("the place by a return", m.ranksFollow)
	t.Run("the risk score", m.scoresFollow)
	t.Run("what can't be explained is refused", func(t *testing.T) {
		for _, query := range []string{"field=rank", "field=rank&window=1y&valuation=clp", "field=rank&window=1y&basis=total",
			"field=rank&window=1y&currency=PESOS", "field=risk_score&window=1y", "field=risk_score&family=x"} {
			wantStatus(t, m.get(t, "/api/explain?series="+m.ids[0]+"&"+query), http.StatusUnprocessableEntity)
		}
		for _, query := range []string{"", "field=rank", "field=return&window=1y", "field=risk_score&window=1y"} {
			wantStatus(t, m.get(t, "/api/explain/peers?series="+m.ids[0]+"&"+query), http.StatusUnprocessableEntity)
		}
		const fund = "ddf92f33-386c-55e2-9b10-9d87948dc8cf"
		for _, query := range []string{"field=rank&window=1y", "field=risk_score"} {
			wantStatus(t, m.get(t, "/api/explain?series="+fund+"&"+query), http.StatusUnprocessableEntity)
		}
		wantStatus(t, m.get(t, "/api/explain?series=1&field=rank&window=1y"), http.StatusNotFound)
	})
}

func (m rankedMarket) ranksFollow(t *testing.T) {
	random := rand.New(rand.NewPCG(40, 9))
	var receipts [][]byte
	seen := map[string]int{}
	var kept, ofKept []byte
	constant := []string{seriesID(constantRun, "X"), seriesID(constantRun, "Y"), seriesID(constantRun, "Z")}
	for i := range longtest.Times(80) {
		id, date, window := m.ids[random.IntN(len(m.ids))], "", model.Windows[random.IntN(len(model.Windows))]
		if i%8 == 0 {
			id = constant[random.IntN(3)]
		}
		if i%3 > 0 {
			date = rankedEnd.AddDays(-random.IntN(rankedDays - 400)).String()
		}
		at := func(name string) string { return strings.TrimSuffix("&"+name+"="+date, "&"+name+"=") }
		all := decode[struct{ Data []screenedReturn }](t, m.get(t, "/api/screener?limit=200"+at("as_of_date"))).Data
		place := slices.IndexFunc(all, func(of screenedReturn) bool { return of.ID == id })
		family := ""
		if place >= 0 && i%4 == 3 && all[place].Attributes.FundFamily != nil {
			family = *all[place].Attributes.FundFamily
		}
		got := m.get(t, "/api/explain?field=rank&series="+id+"&window="+window+at("date")+
			strings.TrimSuffix("&family="+url.QueryEscape(strings.ToLower(family)), "&family="))
		wantStatus(t, got, http.StatusOK)
		made, sound := receiptOf(t, got.body), bytes.TrimSpace(got.body)
		receipts = append(receipts, sound)
		what := fmt.Sprintf("%s of %s at %q in %q", window, id, date, family)
		if place < 0 {
			if seen["not_in_screener"]++; made.Value != nil || made.Reason == nil || *made.Reason != "not_in_screener" {
				t.Errorf("%s: %s", what, sound)
			}
			continue
		}
		own := all[place]
		rows := slices.DeleteFunc(all, func(of screenedReturn) bool {
			return of.Attributes.Currency == nil || own.Attributes.Currency == nil ||
				*of.Attributes.Currency != *own.Attributes.Currency ||
				family != "" && (of.Attributes.FundFamily == nil || *of.Attributes.FundFamily != family)
		})
		want, ranked, out := placeInList(rows, own, window)
		if of := own.Attributes.Returns.Periods[window]; of.Value == nil || *of.Currency != *own.Attributes.Currency {
			if seen["none"]++; made.Value != nil || made.Peers != nil || made.Reason == nil ||
				of.Reason != nil && *of.Reason != *made.Reason {
				t.Errorf("%s: %s", what, sound)
			}
			continue
		}
		if made.Value == nil || *made.Value != strconv.Itoa(want) || made.Peers.Series != ranked {
			t.Fatalf("%s: the place is %d of %d, and the receipt is %s", what, want, ranked, sound)
		}
		left := map[string]int{}
		for _, of := range made.Peers.LeftOut {
			left[of.Reason] = of.Series
		}
		if !maps.Equal(left, out) {
			t.Errorf("%s: %v are left out, want %v", what, left, out)
		}
		list, listed := m.peersOf(t, made)
		receipts = append(receipts, listed)
		if list.Peers[want-1].Series != id {
			t.Errorf("%s: the list has %+v in place %d", what, list.Peers[want-1], want)
		}
		seen["place"]++
		seen["left out"] += len(left)
		if family != "" {
			seen["family"]++
		}
		if slices.Contains(constant, id) {
			seen["ties"]++
		}
		if want > 2 && ranked > want+1 && ranked > 8 && family == "" {
			kept, ofKept = sound, listed
		}
	}
	if seen["place"] < 5 || seen["none"] == 0 || seen["ties"] == 0 || seen["left out"] == 0 || kept == nil {
		t.Fatalf("%v: this proves too little", seen)
	}
	if printed, right := checker(t, m.files, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}
	m.refutesPeers(t, kept, ofKept)
}

// refutesPeers demands that the checker rejects lists and receipts that contradict each other, and says why.
func (m rankedMarket) refutesPeers(t *testing.T, sound, ofSound []byte) {
	t.Helper()
	list, _ := m.peersOf(t, receiptOf(t, sound))
	others := m.receiptsOf(t, list)
	if printed, right := checker(t, m.files, append([][]byte{sound, ofSound}, others...)...); !right ||
		!strings.Contains(printed, "and 0 of their values") {
		t.Fatalf("with the receipts of all peers the checker says:\n%s", printed)
	}
	if printed, right := checker(t, m.files, sound); right || !strings.Contains(printed, "1: not checked: the list of its peers is not given: GET /api/explain/peers?") {
		t.Errorf("without the list the checker says:\n%s", printed)
	}
	field := list.Fields[0]
	id := receiptOf(t, sound).Peers.Own
	own := slices.IndexFunc(list.Peers, func(of receipt.Peer) bool { return of.Series == id })
	first := map[bool]int{true: 1, false: 0}[own == 0] // a peer
	higher := func(value string, by float64) string {
		number, err := strconv.ParseFloat(value, 64)
		must(t, err)
		return receipt.Decimal(number + by)
	}
	const hashed, plain = true, false // the receipt has the hash and the number of the changed list, or not
	for _, test := range []struct {
		what, why string
		hashed    bool
		change    func(of *receipt.Receipt, list *receipt.List)
	}{
		{"a forged value", "this is another list of peers", plain, func(_ *receipt.Receipt, list *receipt.List) {
			list.Peers[first].Values[0] = higher(list.Peers[first].Values[0], 1e-6)
		}},
		{"a forged value, with the hash of the list", "and its receipt another value", hashed,
			func(_ *receipt.Receipt, list *receipt.List) {
				list.Peers[first].Values[0] = higher(list.Peers[first].Values[0], 1e-9)
			}},
		{"a peer that is left out", "this is another list of peers", plain, func(_ *receipt.Receipt, list *receipt.List) {
			list.Peers = slices.Delete(list.Peers, first, first+1)
		}},
		{"a peer twice", "a peer is listed twice", hashed, func(_ *receipt.Receipt, list *receipt.List) {
			list.Peers = append(list.Peers, list.Peers[first])
		}},
		{"a peer twice, with a zero before its id", "a peer is listed twice", hashed,
			func(_ *receipt.Receipt, list *receipt.List) {
				again := list.Peers[first]
				again.Series = "0" + again.Series
				list.Peers = append(list.Peers, again)
			}},
		{"the value of another series", "and its receipt another value", hashed,
			func(_ *receipt.Receipt, list *receipt.List) {
				last := len(list.Peers) - 1
				list.Peers[first].Values, list.Peers[last].Values = list.Peers[last].Values, list.Peers[first].Values
			}},
		{"no series itself", "this is another list of peers", hashed, func(_ *receipt.Receipt, list *receipt.List) {
			list.Peers = slices.Delete(list.Peers, own, own+1)
		}},
		{"another series in its place", "the id is another one's", hashed, func(of *receipt.Receipt, list *receipt.List) {
			of.Peers.Own = list.Peers[first].Series
		}},
		{"another value of the series itself", "the list has ", hashed, func(_ *receipt.Receipt, list *receipt.List) {
			list.Peers[own].Values[0] = higher(list.Peers[own].Values[0], 1e-9)
		}},
		{"another number", "wrong: the rule gives ", plain, func(of *receipt.Receipt, _ *receipt.List) {
			of.Value = new(higher(*of.Value, 1))
		}},
		{"a formula without the list", "wrong: the formula gives ", plain, func(of *receipt.Receipt, _ *receipt.List) {
			of.Formula = &of.Formula.Of[0]
		}},
	} {
		made := receiptOf(t, sound)
		var listed receipt.List
		must(t, json.Unmarshal(mustJSON(t, list), &listed))
		if test.change(made, &listed); test.hashed {
			made.Peers.SetList(listed.Peers)
		}
		changed := [][]byte{answerOf(t, sound, made), answerOf(t, ofSound, listed)}
		printed, right := checker(t, m.files, append(changed, others...)...)
		if right || !strings.Contains(printed, "1: wrong: ") || !strings.Contains(printed, test.why) {
			t.Errorf("%s of %s: the checker does not say %q, but:\n%s", test.what, field, test.why, printed)
		}
	}
	// Without the receipts of peers, what is left out shows in the rank.
	made := receiptOf(t, sound)
	best := slices.Clone(list.Peers)[1:]
	if own == 0 {
		best = append([]receipt.Peer{list.Peers[0]}, list.Peers[2:]...)
	}
	made.Peers.SetList(best)
	fewer := list
	fewer.Peers = best
	if printed, right := checker(t, m.files, answerOf(t, sound, made), answerOf(t, ofSound, fewer)); field == "return" &&
		(right || !strings.Contains(printed, "1: wrong: the rule gives ")) {
		t.Errorf("without the best series the checker says:\n%s", printed)
	}
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return text
}

// answerOf is an answer of the API with other attributes.
func answerOf(t *testing.T, answer []byte, attributes any) []byte {
	t.Helper()
	var item map[string]map[string]any
	must(t, json.Unmarshal(answer, &item))
	item["data"]["attributes"] = attributes
	return mustJSON(t, item)
}

// riskOfSeries is what the API answers about the risk of a series.
type riskOfSeries struct {
	Data struct {
		Attributes struct {
			AsOf       *string  `json:"as_of_date"`
			Score      *float64 `json:"risk_score"`
			Volatility *float64 `json:"volatility_monthly_36m"`
			Fall       *float64 `json:"max_drawdown_36m"`
		}
	}
}

func (m rankedMarket) scoresFollow(t *testing.T) {
	random := rand.New(rand.NewPCG(40, 10))
	var receipts [][]byte
	seen := map[string]int{}
	var kept, ofKept []byte
	for i := range 3 + longtest.Times(6) {
		date, at, on := "", "", ""
		if i > 0 {
			date = rankedEnd.AddDays(-random.IntN(100)).String()
			at, on = "?as_of_date="+date, "&date="+date
		}
		risks := map[string]riskOfSeries{}
		for _, id := range m.ids {
			risks[id] = decode[riskOfSeries](t, m.get(t, "/api/real_assets/"+id+"/risk_metrics"+at))
		}
		drawn := []string{seriesID(constantRun, "Y"), m.ids[random.IntN(len(m.ids))], m.ids[random.IntN(len(m.ids))]}
		for _, id := range drawn {
			own := risks[id].Data.Attributes
			got := m.get(t, "/api/explain?field=risk_score&series="+id+on)
			want := givenReturn{Value: own.Score}
			if own.Score == nil {
				if want.Reason = new("missing_monthly_return"); own.AsOf == nil {
					want.Reason = new("no_risk_snapshot")
				}
			}
			sound := bytes.TrimSpace(got.body)
			receipts = append(receipts, sound)
			if !agree(t, "the score of "+id+" at "+date, got, want) {
				seen["none"]++
				continue
			}
			// The mean of both percentiles, with the figures of each series of the month.
			halves, n := 0, 0
			for _, of := range risks {
				other := of.Data.Attributes
				if other.AsOf == nil || *other.AsOf != *own.AsOf || other.Score == nil {
					continue
				}
				n++
				for _, pair := range [][2]float64{{*other.Volatility, *own.Volatility}, {-*other.Fall, -*own.Fall}} {
					switch {
					case pair[0] < pair[1]:
						halves += 2
					case pair[0] == pair[1]:
						halves++
					}
				}
			}
			made := receiptOf(t, sound)
			if score := math.Floor(100*float64(halves)/float64(4*n) + 0.5); receipt.Decimal(score) != *made.Value ||
				made.Peers.Series != n {
				t.Errorf("the score of %s at %q is %v among %d, and the receipt is %s", id, date, score, n, sound)
			}
			_, listed := m.peersOf(t, made)
			receipts = append(receipts, listed)
			seen["score"]++
			kept, ofKept = sound, listed
		}
	}
	if seen["score"] < 3 || kept == nil {
		t.Fatalf("%v: this proves too little", seen)
	}
	if printed, right := checker(t, m.files, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}
	m.refutesPeers(t, kept, ofKept)
}
