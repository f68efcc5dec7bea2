package market

import (
	"context"
	"unsafe"

	"cuota/query/batch"
	"cuota/query/operation"
)

// ScreenerChoices lists the values that the filters of the screener select by, of the series
// alive at the cutoff. Only the form of the screener's page asks for them.
var ScreenerChoices = operation.Endpoint[struct{}, []Choice]{
	Path: "/pages/screener_choices", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[struct{}]) ([]Choice, error) {
		return readScreenerChoices(ctx, r.Pinned)
	},
	Known: func(r *operation.Request[struct{}]) ([]Choice, bool, error) {
		choices, there := choicesPart.Of(r.Batch)
		return choices, there, nil
	},
	Parts: []batch.Loader{choicesPart},
}

var choicesPart = batch.NewPart("screener choices", func(ctx context.Context, s batch.Source) ([]Choice, int, error) {
	choices, err := readScreenerChoices(ctx, operation.PinnedBy(s))
	return choices, len(choices) * 2 * int(unsafe.Sizeof(Choice{})), err // about half of it is behind pointers
})

// Choice is a value of one parameter, and how many series have exactly this value.
type Choice struct {
	Parameter string `ch:"parameter" json:"parameter"`
	Value     string `ch:"value" json:"value"`
	Series    uint64 `ch:"series" json:"series"`
}

// readScreenerChoices returns the values of all parameters, ordered by parameter and value.
func readScreenerChoices(ctx context.Context, p operation.Pinned) ([]Choice, error) {
	return operation.Rows[Choice](ctx, p, "screener_choices")
}
