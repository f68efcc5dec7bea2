// Package backtest replays a strategy over the history of the market: which series it would have
// selected on each date, what its portfolio would have been worth, and how much survivorship
// bias, later corrections and costs change the result. docs/backtests.md has the rules; "section n" in
// the comments is a section of that page.
//
// It comes after a batch is published: cmd/cuota and query run a [Strategy] on a [Source], which
// reads the published batch. Operations on sets (the market on a date, the history of a series)
// are SQL, in sql/queries, which package backtest/history reads as a Source. Steps in time (orders, money on its way,
// a portfolio from day to day) are Go, in this package, which needs no database. Package backtest/report shows a
// [Result] to people.
package backtest
