package query_test

import (
	"testing"

	"cuota/internal/testkit/demotest"
)

func TestFamiliesCountTheClassifiedSeriesInPesosAndDollars(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	got := decode[struct {
		Meta struct {
			Classification struct {
				Classified   int `json:"classifiedSeries"`
				Unclassified int `json:"unclassifiedSeries"`
			}
		}
		Families []struct {
			Count int `json:"seriesCount"`
		}
	}](t, r.get(t, "/api/market-summary"))
	counted := 0
	for _, family := range got.Families {
		counted += family.Count
	}
	var all, known, elsewhere uint64
	must(t, r.conn.QueryRow(t.Context(),
		`SELECT count(), countIf(family_rar IS NOT NULL), countIf(family_rar IS NOT NULL AND currency IS NULL)
		FROM current_screener WHERE price IS NOT NULL`).Scan(&all, &known, &elsewhere))
	if known == 0 || all == known || counted != int(known-elsewhere) ||
		got.Meta.Classification.Classified != int(known) || got.Meta.Classification.Unclassified != int(all-known) {
		t.Errorf("%+v, %d in families; %d series, %d with a family, of which %d in another currency",
			got.Meta.Classification, counted, all, known, elsewhere)
	}
}
