package query_test

import (
	"math"
	"testing"

	"cuota/query/series"
)

// get checks every reply against the document.
func TestReturnsSayIfTheyAreOfQuotasOrBookValues(t *testing.T) {
	t.Parallel()
	r := valuedMarket(t, series.ReturnKinds...)
	insert(t, r.conn, "fx_uf_rate", row{"batch": 1, "date": "2026-07-31",
		"uf": row{"date": "2026-07-31", "value": "42840", "sha256": sha('d'), "revision": "2026-08-02 12:00:00.000"}})
	type body struct {
		Data struct {
			ID         string
			Attributes struct {
				QuotaSource string `json:"quota_source"`
				Periods     map[string]period
			}
		}
	}
	for id, of := range map[string]struct {
		source string
		growth float64 // factor of the month
	}{
		instrumentAina: {"cmf_valor_libro", 1010.123456 / 1000.5},
		"201":          {"CMF", 121.000001 / 110},
	} {
		for valuation, want := range map[string]float64{
			// 42,840 pesos are 2 % more than 42,000
			"accounting": of.growth - 1, "clp": of.growth - 1, "real_uf": of.growth/1.02 - 1,
		} {
			got := decode[body](t, r.get(t, "/api/real_assets/"+id+"/returns?as_of_date=2026-07-31&valuation="+
				valuation)).Data
			if got.ID != id || got.Attributes.QuotaSource != of.source {
				t.Errorf("%s of %s: id %s, from %s", valuation, id, got.ID, got.Attributes.QuotaSource)
			}
			if month := got.Attributes.Periods["1m"]; month.Value == nil || math.Abs(*month.Value-want) > 1e-12 {
				t.Errorf("%s of %s: %+v, want %v", valuation, id, month, want)
			}
		}
	}
}
