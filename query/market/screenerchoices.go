package market

import (
	"context"

	"cuota/query/operation"
)

// ScreenerChoices lists the values that the filters of the screener select by, of the series
// alive at the cutoff. Only the form of the screener's page asks for them.
var ScreenerChoices = func() operation.Endpoint[struct{}, Choices] {
	e := operation.Catalogue("/pages/screener_choices", "screener choices", readScreenerChoices, func(*struct{}) string { return "" }, "")
	e.ForPages = true
	return e
}()

// Choices are the values of all parameters, ordered by parameter and value.
type Choices struct {
	Data []Choice `json:"data"`
}

// Choice is a value of one parameter, and how many series have exactly this value.
type Choice struct {
	Parameter string `ch:"parameter" json:"parameter"`
	Value     string `ch:"value" json:"value"`
	Series    uint64 `ch:"series" json:"series"`
}

// readScreenerChoices returns the choices under the empty key, the only one.
func readScreenerChoices(ctx context.Context, p operation.Pinned, _ ...string) (map[string]Choices, error) {
	choices, err := operation.Rows[Choice](ctx, p, "page_screener_choices")
	if choices == nil {
		choices = []Choice{}
	}
	return map[string]Choices{"": {choices}}, err
}
