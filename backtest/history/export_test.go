package history

import "context"

// KeepNoLaterRows makes the source read the rows that were stated later in each statement, as it does if they
// are too many.
func (src *Source) KeepNoLaterRows() { src.mostLater = 0 }

// ReadTheMarket makes the source read the rows of the market, as it does if another version of the program built the
// batch.
func (src *Source) ReadTheMarket(ctx context.Context) error {
	_, err := src.Batch(ctx)
	src.described.value.ownRules = false
	return err
}
