package marketpages_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/longtest"
)

func TestLighthouseFindsNothingOnPages(t *testing.T) {
	longtest.Skip(t)
	s := synthetic(t)
	lighthouse := browsertest.NewLighthouse(t)
	flawed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write([]byte(`<!doctype html><html><title>A chart</title><img src="data:,">`)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(flawed.Close)
	if faults := strings.Join(lighthouse.Faults(flawed.URL), "\n"); !strings.Contains(faults, "image-alt") ||
		!strings.Contains(faults, "html-has-lang") {
		t.Fatalf("of a page without its language, with an image without a text, it finds %q", faults)
	}
	for _, visit := range s.visits() {
		if strings.HasSuffix(visit.name, "-unknown") || visit.name == "no-page" {
			continue // it does not check pages that are not found
		}
		separator := "?"
		if strings.Contains(visit.path, "?") {
			separator = "&"
		}
		for language, args := range map[string][]string{"es": nil, "en": {"--preset=desktop"}} {
			for _, fault := range lighthouse.Faults(s.base+visit.path+separator+"lang="+language, args...) {
				t.Errorf("%s in %s: %s", visit.path, language, fault)
			}
		}
	}
}
