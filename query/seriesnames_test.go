package query_test

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"

	"github.com/google/go-cmp/cmp"
)

// likeliest returns the series that a text finds, as RUN/SERIE, with a * if the series is
// closed.
func likeliest(t testing.TB, r *rig, text string, most int) (found []string) {
	t.Helper()
	list, err := r.FindSeries(t.Context(), text, most)
	must(t, err)
	for _, s := range list {
		found = append(found, s.RUN+"/"+s.Serie+map[bool]string{true: "*"}[s.Closed])
	}
	return found
}

func TestASeriesIsFoundByItsIDItsRUNOrWordsOfItsName(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := littleMarket(t)
	open, closed, aina, other := "8011-K/A", "8011-K/B*", "9278-9/A", "8012-8/A"
	for text, want := range map[string][]string{
		// An id finds only the series of its own kind.
		"201": {open}, " 0201 ": {open}, "202": {closed}, instrumentAina: {aina},
		strings.ToUpper(instrumentAina): {aina}, "203": nil,
		// A RUN, complete or its beginning.
		"8011-K": {open, closed}, "8.011-k": {open, closed}, "8011k": {open, closed}, "8011": {open, closed},
		" 8011 ": {open, closed},
		"9278-9": {aina}, "9.278": {aina}, "8012-8": {other, other, other}, // three funds of this market have this RUN
		"80": {other, open, other, other, closed}, // sorted by fund, closed series last
		// Words of the names, in any order and case, with or without accents.
		"renta": {open, closed}, "RENTA 1": {open, closed}, "aina": {aina}, "inversión AÍNA": {aina},
		"a\u00EDna": {aina}, "ai\u0301na": {aina},
		"renta serie b": {closed}, "RUN 8011-K renta": {open, closed}, "ent": {open, closed},
		"\u00a0renta ": {open, closed}, "1 renta": {open, closed}, "renta \u200brun": {open, closed},
		// A series of a fund: in any order, with any dash, with zeros, dots or the check digit.
		"8011 a": {open}, "8011-A": {open}, "8011-K-A": {open}, "8011\u2013a": {open}, "8011\u2014a": {open},
		"8011\u2212a": {open}, "8011\u2010a": {open},
		"8011\u2011K": {open, closed}, "A 8011": {open}, "08011 B": {closed}, "0008.011-k b": {closed},
		"8011 k b": {closed}, "8011k-b": {closed}, "8011 - B": {closed},
		"renta \u00b7 B": {closed}, "8011-9": nil, "8011-C": nil, "serie a run 8.011": {open},
		// Texts that find nothing, and texts that other languages read as a pattern.
		"renta nada": nil, "%": nil, "_": nil, ".*": nil, "' OR 1=1 --": nil, `\`: nil, "\x00": nil, "{q:String}": nil,
		"": nil, " \t": nil, "…": nil, "<i>": nil, "<b>": {closed},
		strings.Repeat("renta ", 30): {open, closed},
	} {
		if diff := cmp.Diff(want, likeliest(t, r, text, 50)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := likeliest(t, r, "a", 1); len(got) != 1 {
		t.Errorf("at most one series: %q", got)
	}

	named, err := r.NameSeries(t.Context(), []string{"202", instrumentAina, "201", "999", "no id", instrumentAina})
	must(t, err)
	want := []model.SeriesName{
		{IDs: []string{instrumentAina}, Fund: "AÍNA FONDO DE INVERSIÓN 1", RUN: "9278-9", Serie: "A"},
		{IDs: []string{"201"}, Fund: "RENTA 1", RUN: "8011-K", Serie: "A"},
		{IDs: []string{"202"}, Fund: "RENTA 1", RUN: "8011-K", Serie: "B", Closed: true},
	}
	slices.SortFunc(named, func(a, b model.SeriesName) int { return strings.Compare(a.Fund+a.Serie, b.Fund+b.Serie) })
	slices.SortFunc(want, func(a, b model.SeriesName) int { return strings.Compare(a.Fund+a.Serie, b.Fund+b.Serie) })
	if diff := cmp.Diff(want, named); diff != "" {
		t.Error(diff)
	}
	if none, err := r.NameSeries(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("no ids: %v, %v", none, err)
	}

	empty := newRig(t, demotest.Schema(t), unlimited)
	if _, err := empty.FindSeries(t.Context(), "renta", 1); err == nil {
		t.Error("without a batch a search gives no error")
	}
	if _, err := empty.NameSeries(t.Context(), []string{"201"}); err == nil {
		t.Error("without a batch names give no error")
	}
}

func TestTheLastChangeIsBetweenTheTwoNewestQuotes(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	const id = "1161378270" // 9809-4 B
	named, err := r.NameSeries(t.Context(), []string{id})
	must(t, err)
	days := decode[struct {
		Data []struct {
			Attributes struct {
				Date  string
				Price *float64
			}
		}
	}](t, r.get(t, "/api/real_assets/"+id+"/days?from_date=2025-07-01")).Data
	if len(named) != 1 || named[0].Change == nil || named[0].ChangeOn == nil || len(days) < 2 {
		t.Fatalf("%+v; %d days", named, len(days))
	}
	before, last := days[len(days)-2].Attributes, days[len(days)-1].Attributes
	if before.Date > last.Date {
		before, last = days[1].Attributes, days[0].Attributes
	}
	if want := *last.Price / *before.Price - 1; math.Abs(*named[0].Change-want) > 1e-12 ||
		named[0].ChangeOn.Format(time.DateOnly) != last.Date {
		t.Errorf("%v on %s, want %v on %s", *named[0].Change, named[0].ChangeOn, want, last.Date)
	}
}

// The catalogue reads the series of a fund from other tables.
func TestARUNFindsEverySeriesOfItsFund(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	type list struct {
		Data []struct {
			ID         string
			Attributes struct{ Name, Serie, RUN string }
		}
	}
	funds, series := 0, 0
	for _, manager := range decode[list](t, r.get(t, "/api/asset_providers?scope=all")).Data {
		for n, fund := range decode[list](t, r.get(t, "/api/asset_providers/"+manager.ID+"/conceptual_assets")).Data {
			if n%4 != 0 {
				continue
			}
			got := r.get(t, "/api/conceptual_assets/"+fund.ID+"/real_assets")
			if got.status != http.StatusOK {
				t.Fatalf("%s", got.body)
			}
			var want []string
			for _, s := range decode[list](t, got).Data {
				want = append(want, s.ID+" "+fund.Attributes.Name+" "+s.Attributes.RUN+" "+s.Attributes.Serie)
			}
			found, err := r.FindSeries(t.Context(), fund.Attributes.RUN, 1000)
			must(t, err)
			var ids []string
			have := []string(nil)
			for _, s := range found {
				ids = append(ids, s.IDs[0])
				have = append(have, fmt.Sprint(s.IDs[0], " ", s.Fund, " ", s.RUN, " ", s.Serie))
			}
			slices.Sort(want)
			slices.Sort(have)
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("RUN %s (-catalogue +search):\n%s", fund.Attributes.RUN, diff)
			}
			if len(ids) > 0 {
				named, err := r.NameSeries(t.Context(), ids)
				must(t, err)
				if len(named) != len(found) {
					t.Errorf("RUN %s: %d series, %d have names", fund.Attributes.RUN, len(found), len(named))
				}
			}
			funds, series = funds+1, series+len(found)
		}
	}
	if funds < 2 || series < funds {
		t.Errorf("%d funds with %d series: nothing was compared", funds, series)
	}
}

func TestEveryNameOfARenamedSeriesIsOneMatch(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	for _, source := range demotest.RenamedDemo(t, false) {
		m.Ingest(t, source.Dataset, source.Path, source.Published)
	}
	m.IngestRenames(t, demotest.Renames, demotest.Clock.AddDate(0, 0, -3))
	m.Build(t)
	r := newRig(t, m.Options, unlimited)
	ids := []string{seriesID(9809, "B"), seriesID(9809, "B MEDIA"), seriesID(9809, "B-VIEJA")}
	for _, id := range ids {
		found, err := r.FindSeries(t.Context(), id, 10)
		must(t, err)
		named, err := r.NameSeries(t.Context(), []string{id})
		must(t, err)
		for _, list := range [][]model.SeriesName{found, named} {
			if len(list) != 1 || !slices.Equal(list[0].IDs, ids) || list[0].Serie != "B" || list[0].RUN != "9809-4" {
				t.Errorf("%s: %+v", id, list)
			}
		}
	}
}
