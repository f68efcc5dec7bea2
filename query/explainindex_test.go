package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
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
	leaveOutDays(t, dir, "20250605", "20250607") // a step over some days
	leaveOutDays(t, dir, "20250612", "20250621") // after these the level carries on
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	random := rand.New(rand.NewPCG(40, 8))
	m.SetClock(demotest.Clock.AddDate(0, 0, -2))
	before := m.Build(t)
	m.SetClock(demotest.Clock)
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
				kept["a change"] = ofChange
				if bytes.Contains(sound, []byte(`"member_factor"`)) {
					seen["factor"]++
					kept["a level with a factor"] = sound
				} else if memberCount(level) > 3 {
					kept["a level"] = sound
				}
				if bytes.Contains(sound, []byte(`"counts":false`)) {
					if seen["corrected"]++; seen["corrected"] == 1 {
						receipts = append(receipts, agreesBefore(t, r, before, of.Family, of.Currency, point.Date))
					}
				}
			case i == 0:
				seen["base"]++
				kept["a base"] = sound
			default:
				seen["carried on"]++
				kept["a level that carries on"] = sound
			}
		}
		none, _ := ask(of.Family, of.Currency, "index", model.NewDate(2024, time.January, random.IntN(28)).String())
		sameNumber(t, of.Family+" before its index", none, nil)
	}
	if seen["step"] < 20 || seen["base"] < 3 || seen["factor"] == 0 || seen["corrected"] == 0 ||
		seen["gap of 4"] == 0 || seen["carried on"] == 0 {
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
		for _, what := range []string{"a level", "a change", "a level with a factor"} { // no line shows the day of others
			rejectsChanges(t, "an index: "+what, dir, kept[what])
		}
	})
	t.Run("what the rule forbids is rejected, although each line is right", func(t *testing.T) {
		refutesIndices(t, dir, kept)
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

// agreesBefore compares the receipt of a level as the batch before the correction knew it with what that batch stored.
func agreesBefore(t *testing.T, r *rig, batch uint64, family, currency, date string) (sound []byte) {
	t.Helper()
	got := r.get(t, "/api/explain?"+url.Values{"field": {"index"}, "family": {family}, "currency": {currency},
		"date": {date}, "known_at": {demotest.Clock.AddDate(0, 0, -1).Format(time.RFC3339)}}.Encode())
	wantStatus(t, got, http.StatusOK)
	var then float64
	must(t, r.conn.QueryRow(t.Context(), "SELECT assumeNotNull(value) FROM index_day "+
		"WHERE batch = ? AND family_rar = ? AND currency = ? AND date = toDate(?)",
		batch, family, currency, date).Scan(&then))
	if bytes.Contains(got.body, []byte(`"counts":false`)) {
		t.Errorf("a line of %s was corrected before the correction: %s", family, got.body)
	}
	sameNumber(t, family+" before the correction", receiptOf(t, got.body), &then)
	return bytes.TrimSpace(got.body)
}

// ofMembers are the inputs of a name.
func ofMembers(of *receipt.Receipt, name string) (found []*receipt.Input) {
	for i := range of.Inputs {
		if of.Inputs[i].Name == name {
			found = append(found, &of.Inputs[i])
		}
	}
	return found
}

// keepMembers leaves the first members of a level.
func keepMembers(of *receipt.Receipt, keep int) {
	count := memberCount(of)
	inputs := of.Inputs[:1]
	for block := range 3 {
		inputs = append(slices.Clone(inputs), of.Inputs[1+block*count:1+block*count+keep]...)
	}
	of.Inputs = inputs
}

// weigh gives the receipt of a level the formula of its members and factors, and what this comes to.
func weigh(t *testing.T, of *receipt.Receipt) {
	t.Helper()
	count := memberCount(of)
	var weighed, weights []receipt.Formula
	for i := range count {
		equity := receipt.In(1 + 2*count + i)
		parts := []receipt.Formula{equity, receipt.Quotient(receipt.In(1+i), receipt.In(1+count+i))}
		for at := 1 + 3*count; at < len(of.Inputs); at++ {
			if of.Inputs[at].Held.Series == of.Inputs[1+i].Held.Series {
				parts = append(parts, receipt.In(at))
			}
		}
		weights, weighed = append(weights, equity), append(weighed, receipt.Product(parts...))
	}
	formula := receipt.Product(receipt.In(0), receipt.Quotient(receipt.Sum(weighed...), receipt.Sum(weights...)))
	value, err := of.Eval(formula)
	must(t, err)
	must(t, of.SetValue(value, formula))
}

// refutesIndices demands that the checker rejects receipts of an index whose lines are right, and says why. They are
// made of sound ones, which are kept by what they are.
func refutesIndices(t *testing.T, dir string, kept map[string][]byte) {
	t.Helper()
	files := t.TempDir() // with all files of the market side by side
	must(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			err = os.Link(path, filepath.Join(files, entry.Name()))
		}
		return err
	}))
	plain := func([]string) {}
	refute := func(what, sound, why string, line func(fields []string), change func(*receipt.Receipt)) {
		t.Helper()
		folder, made := forged(t, files, kept[sound], line, change)
		if printed, right := checker(t, folder, made); right || !strings.Contains(printed, "1: wrong: ") ||
			!strings.Contains(printed, why) {
			t.Errorf("%s: the checker does not say %q, but:\n%s", what, why, printed)
		}
	}
	const otherInputs = "these are not the inputs of an index"
	for _, test := range []struct {
		what, sound, why string
		change           func(*receipt.Receipt)
	}{
		{"two members", "a level", "2 series give no step", func(of *receipt.Receipt) { keepMembers(of, 2) }},
		{"a member twice", "a level", "a series is listed twice", func(of *receipt.Receipt) {
			repeatMember(of, func(*receipt.Identity) {})
		}},
		{"a member twice, with the id of a later series", "a level", "a series is listed twice", func(of *receipt.Receipt) {
			repeatMember(of, func(held *receipt.Identity) {
				key := "series:" + held.RUN + ":" + held.Names[0].Serie + "#1"
				held.Series = fmt.Sprint(crc32.ChecksumIEEE([]byte(key)))
			})
		}},
		{"a member twice, with a zero before its fund", "a level", "a series is listed twice", func(of *receipt.Receipt) {
			repeatMember(of, func(held *receipt.Identity) {
				held.RUN = "0" + held.RUN
				held.Series = fmt.Sprint(crc32.ChecksumIEEE([]byte("series:" + held.RUN + ":" + held.Names[0].Serie)))
			})
		}},
		{"a member twice, with a word for an id", "a level", "'other' is no id of a series", func(of *receipt.Receipt) {
			repeatMember(of, func(held *receipt.Identity) { held.Series = "other" })
		}},
		{"the start and the end of a member swapped", "a level", otherInputs, func(of *receipt.Receipt) {
			end, start := ofMembers(of, "member_end")[0], ofMembers(of, "member_start")[0]
			*end, *start = *start, *end
			end.Name, start.Name = "member_end", "member_start"
		}},
		{"a member with a target", "a level", otherInputs, func(of *receipt.Receipt) {
			of.Inputs[1].Target = of.Inputs[1].Date
		}},
		{"a level of another day", "a level", otherInputs, func(of *receipt.Receipt) {
			of.Inputs[0].Date = new(of.Inputs[0].Date.AddDays(-1))
		}},
		{"no factors", "a level with a factor", "", func(of *receipt.Receipt) {
			of.Inputs = of.Inputs[:1+3*memberCount(of)]
		}},
		{"a factor twice", "a level with a factor", "a factor is listed twice", func(of *receipt.Receipt) {
			of.Inputs = append(of.Inputs, of.Inputs[len(of.Inputs)-1])
		}},
	} {
		if factors := ofMembers(receiptOf(t, kept[test.sound]), "member_factor"); test.why == "" {
			test.why = fmt.Sprintf("states the factor %s on %s", *factors[0].Value, factors[0].Date)
		}
		refute(test.what, test.sound, test.why, plain, func(of *receipt.Receipt) {
			test.change(of)
			weigh(t, of)
		})
	}
	refute("a member that is left out", "a level", otherInputs, plain, func(of *receipt.Receipt) {
		of.Inputs, of.Formula = slices.Delete(of.Inputs, 1, 2), new(receipt.Number(100))
	})
	refute("no level before", "a level", otherInputs, plain, func(of *receipt.Receipt) {
		of.Inputs, of.Formula, of.Value = of.Inputs[1:], new(receipt.Number(100)), new("100")
	})
	refute("a change of 0 without series", "a change", "0 series give no step of 0 days", plain, func(of *receipt.Receipt) {
		of.Inputs, of.Formula, of.Value = []receipt.Input{}, new(receipt.Number(0)), new("0")
	})
	refute("a base in euros", "a base", "an index is in PESOS or DOLAR", plain, func(of *receipt.Receipt) {
		of.Subject.Currency = new("EUR")
	})
	const begins = "that the index begins on this day follows from other lines"
	if printed, right := checker(t, dir, kept["a base"]); !right || !strings.Contains(printed, begins) {
		t.Errorf("the checker says of a base:\n%s", printed)
	}
	made := receiptOf(t, kept["a level that carries on"])
	made.Inputs[0].Value = new("Infinity") // the value stays, and no number is far from an endless one
	endless, err := json.Marshal(map[string]any{"data": map[string]any{"attributes": made}})
	must(t, err)
	if printed, right := checker(t, dir, endless); right || !strings.Contains(printed, "wrong: the rule gives Infinity") {
		t.Errorf("the checker says of an endless level:\n%s", printed)
	}
	// The same with other files, which state what no series has that counts.
	states := func(of *receipt.Input, column int, value string) (func([]string), func(*receipt.Receipt)) {
		on, held := strings.ReplaceAll(of.Date.String(), "-", ""), *of.Held
		return func(fields []string) {
				if len(fields) == 25 && fields[3] == on && fields[2]+"-" == held.RUN[:len(held.RUN)-1] &&
					fields[8] == held.Names[0].Serie {
					fields[column] = value
				}
			}, func(made *receipt.Receipt) {
				for i := range made.Inputs {
					input := &made.Inputs[i]
					if input.Name != of.Name || input.Held.Series != held.Series || *input.Date != *of.Date {
						continue
					}
					input.Value = &value
					for at := range input.Lines {
						input.Lines[at].Value = &value
					}
				}
				weigh(t, made)
			}
	}
	equity := ofMembers(receiptOf(t, kept["a level"]), "member_equity")[0]
	line, change := states(equity, 13, "0")
	refute("a member without equity", "a level", equity.Held.Series+" weighs 0", line, change)
	line, change = states(equity, 13, "-1")
	refute("a member with less than no equity", "a level", equity.Held.Series+" weighs -1", line, change)
	factor := ofMembers(receiptOf(t, kept["a level with a factor"]), "member_factor")[0]
	line, change = states(factor, 24, "2")
	refute("a factor of 2", "a level with a factor", "a factor is a break", line, change)
}

// repeatMember puts the second member of a level, under another identity, in the place of the first one.
func repeatMember(of *receipt.Receipt, rename func(*receipt.Identity)) {
	for _, name := range []string{"member_end", "member_start", "member_equity"} {
		found := ofMembers(of, name)
		held := *found[1].Held
		rename(&held)
		*found[0] = *found[1]
		found[0].Held = &held
	}
}

// leaveOutDays removes what the cartola of a market states from one day to another.
func leaveOutDays(t *testing.T, dir, from, until string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "ffmm_sintetico_*"))
	must(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
			fields := strings.Split(line, ";")
			return len(fields) > 3 && fields[3] >= from && fields[3] <= until
		})
		must(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
	}
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
