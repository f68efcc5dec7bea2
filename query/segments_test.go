package query_test

import (
	"net/http"
	"testing"

	"cuota/internal/testkit/longtest"
)

func TestAnEscapedSlashIsPartOfAName(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	for _, family := range []struct{ name, currency string }{{"RF/90", "PESOS"}, {"RF%2F90", "DOLAR"},
		{"..", "PESOS"}} {
		insert(t, r.conn, "family_day",
			row{"date": "2026-06-30", "family_rar": family.name, "currency": family.currency, "build": 1, "equity": "7",
				"quoted": 1})
		insert(t, r.conn, "index_day",
			row{"batch": 1, "date": "2026-06-30", "family_rar": family.name, "currency": family.currency, "value": 100})
	}
	// Renta Ñandú has most equity in dollars, in which it was quoted on only one day: it
	// has no index.
	for path, family := range map[string]string{
		"RF%2F90":                 "RF/90",
		"rf%2f90":                 "RF/90",
		"%52%46%2F%39%30":         "RF/90",
		"RF%252F90":               "RF%2F90", // escaped twice, so it names another family
		"..":                      "..",      // ordinary text, because no path names a file
		"%2E%2e":                  "..",
		"Renta%20%C3%91and%C3%BA": "Renta Ñandú",
		"renta ñandu":             "Renta Ñandú", // as a careless client would write it
		"renta%20%6Eandu":         "Renta Ñandú",
	} {
		request := r.request(http.MethodGet, "/health")
		request.URL.Path, request.URL.RawPath = "", ""
		must(t, request.URL.UnmarshalBinary([]byte("/api/families/"+path+"/index")))
		got := decode[familyIndex](t, r.do(t, request))
		if got.Meta.Family != family || got.Meta.Available != (family != "Renta Ñandú") || got.Meta.Currency == nil ||
			(*got.Meta.Currency == "DOLAR") != (family == "RF%2F90" || family == "Renta Ñandú") {
			t.Errorf("%s: %+v, want the family %s", path, got.Meta, family)
		}
	}
	if got := decode[familyIndex](t, r.get(t, "/api/families/RF+90/index")); got.Meta.Family != "RF+90" {
		t.Errorf("a plus is no space in a path: %+v", got.Meta)
	}
	for target, want := range map[string]int{
		"/api/%62enchmarks": http.StatusOK, "/%61pi/benchmarks": http.StatusOK, "/%68ealth": http.StatusOK,
		"/api/families/RF/90/index": http.StatusNotFound, "/api%2Fbenchmarks": http.StatusNotFound,
		"/api/families%2FRF/index": http.StatusNotFound,
		"/api/families/RF%2Findex": http.StatusNotFound, "/api/real_assets/201%2Fdays": http.StatusUnprocessableEntity,
		"/api/real_assets/2%301/days": http.StatusOK, "/api/real_assets/201%2F/days": http.StatusUnprocessableEntity,
		"/api/families/%2F/index": http.StatusOK, "/api/families/%00/index": http.StatusOK,
		"/api/families/%FF/index": http.StatusUnprocessableEntity,
	} {
		wantStatus(t, r.get(t, target), want)
	}
}

// noUUID is the nil UUID (RFC 9562).
const noUUID = "00000000-0000-0000-0000-000000000000"

func TestTheUUIDOfNothingIsUnknownLikeAnyOther(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	for _, market := range []*rig{littleMarket(t), newRig(t, published(t), unlimited)} {
		for _, target := range []string{
			"/api/real_assets/" + noUUID + "/days", "/api/real_assets/" + noUUID + "/returns",
			"/api/real_assets/" + noUUID + "/returns?as_of_date=2026-07-31",
			"/api/real_assets/" + noUUID + "/expense_ratio", "/api/real_assets/" + noUUID + "/expense_ratio/history",
			"/api/real_assets/" + noUUID + "/days?revisions=all", "/api/explain?series=" + noUUID,
			"/api/real_assets/" + noUUID + "/risk_metrics", "/api/fi/instruments/" + noUUID,
			"/api/fi/instruments/" + noUUID + "/prices",
			"/api/fi/instruments/" + noUUID + "/cartera/holdings", "/api/fi/instruments/" + noUUID + "/cartera/resumen",
		} {
			wantCode(t, market.get(t, target), http.StatusNotFound, "not_found")
		}
		got := market.get(t, "/api/real_assets/"+noUUID+"/returns?return_basis=total")
		// as for every UUID
		if got.status != http.StatusUnprocessableEntity && got.status != http.StatusServiceUnavailable {
			t.Errorf("status %d", got.status)
		}
	}
}
