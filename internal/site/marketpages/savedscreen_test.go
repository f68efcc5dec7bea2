package marketpages_test

import (
	"net/url"
	"slices"
	"strconv"
	"testing"

	"cuota/internal/site/marketpages"
)

// savedScreensFindWhatTheyShow compares the series of saved screens with what the API finds by the same filters.
func savedScreensFindWhatTheyShow(t *testing.T, s *servedSite) {
	inAPI := func(query string) (ids []string) {
		t.Helper()
		for {
			page := fromAPI[struct {
				Data []struct {
					ID string `json:"id"`
				} `json:"data"`
				Meta struct {
					Total int `json:"total"`
				} `json:"meta"`
			}](s, "/api/screener?limit=100&offset="+strconv.Itoa(len(ids))+"&"+query)
			for _, of := range page.Data {
				ids = append(ids, of.ID)
			}
			if len(page.Data) == 0 || len(ids) == page.Meta.Total {
				return ids
			}
		}
	}
	batch, there := published(s.Server)()
	if !there {
		t.Fatal("no batch is served")
	}
	for saved, asked := range map[string]string{
		"":                                  "held=true",
		"held=todas":                        "",
		"currency=PESOS&sort=1y&order=desc": "currency=PESOS&held=true",
		"category=balanced&columnas=tac,1y": "category=balanced&held=true",
		"q=accionario&fecha=2025-03-31":     "q=accionario&held=true",
		"investor_class=Retail&held=false":  "investor_class=Retail&held=false",
	} {
		taken, err := marketpages.TakesScreen(t.Context(), batch, saved)
		must(t, err)
		if !taken {
			t.Errorf("%q is not taken", saved)
		}
		got, there, err := marketpages.ScreenSeries(t.Context(), batch, saved, batch.ID())
		must(t, err)
		want := inAPI(asked)
		slices.Sort(want)
		slices.Sort(got)
		if !there || !slices.Equal(got, want) {
			t.Errorf("%q finds %d series (%t), the API %d", saved, len(got), there, len(want))
		}
		if saved == "held=todas" && len(want) <= 200 {
			t.Errorf("the market has only %d series, which one reply holds", len(want))
		}
	}
	for _, wrong := range []string{"sort=nothing&cmf_spheres_min=9", "%zz", url.QueryEscape("q") + "=%ff"} {
		if got, there, err := marketpages.ScreenSeries(t.Context(), batch, wrong, batch.ID()); there || err != nil {
			t.Errorf("%q finds %d series: %v", wrong, len(got), err)
		}
		if taken, err := marketpages.TakesScreen(t.Context(), batch, wrong); taken || err != nil {
			t.Errorf("%q is taken: %t %v", wrong, taken, err)
		}
	}
	if taken, err := marketpages.TakesScreen(t.Context(), batch, "q=a&no_such_filter=1"); taken || err != nil {
		t.Errorf("an unknown filter is taken: %t %v", taken, err)
	}
	if _, there, err := marketpages.ScreenSeries(t.Context(), batch, "", "20200101-1-aaaaaaaaaaaa"); there || err != nil {
		t.Errorf("a batch that is not kept is asked: %v", err)
	}
}
