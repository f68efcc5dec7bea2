package facts

// KnownFlows counts the series of a day, and those of which the flows of the day and of the month are
// known.
type KnownFlows struct {
	Series  uint64 `ch:"series"`
	Daily   uint64 `ch:"daily"`
	Monthly uint64 `ch:"monthly"`
}
