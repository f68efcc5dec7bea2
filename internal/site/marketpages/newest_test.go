package marketpages

import (
	"context"
	"net/url"
	"testing"

	"cuota/internal/site"
	"cuota/internal/site/locale"
)

// paged answers with the texts that it is asked with, and says that there are 5,003 values.
type paged struct {
	told
	offsets *[]string
}

func (p paged) Ask(_ context.Context, path string, texts url.Values) (any, error) {
	*p.offsets = append(*p.offsets, texts.Get("offset"))
	return foundIn(path, texts, `{"data":[],"meta":{"total":5003}}`)
}

func TestOfTooManyValuesTheNewestAreShown(t *testing.T) {
	var offsets []string
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Texts: url.Values{}}, Batch: paged{nil, &offsets}}
	if _, err := newestValues(t.Context(), v, "x"); err != nil {
		t.Fatal(err)
	}
	if len(offsets) != 2 || offsets[0] != "" || offsets[1] != "3" {
		t.Errorf("the values are asked for from %q on", offsets)
	}
}

func TestAnUnknownCurrencyIsADashWithItsReason(t *testing.T) {
	v := &visit{Visit: site.Visit{Lang: locale.English}}
	if c := v.currencyName(nil); c.Text != locale.Dash || c.Reason == "" {
		t.Errorf("an unknown currency is shown as %+v", c)
	}
}
