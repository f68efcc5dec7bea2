// Package backtest replays a strategy over the history of the market: which series it would have
// selected on each date, what its portfolio would have been worth, and how much of the result
// comes from what nobody could have known. docs/backtests.md has the rules; "section n" in the
// comments is a section of that page.
//
// It comes after a batch is published: cmd/cuota and query run a [Strategy] on a [Source], which
// reads the published batch. What is set-like (the market on a date, the history of a series) is
// SQL, in sql/queries. What is sequential (orders, money on its way, a portfolio from day to day)
// is Go, in this package. Package backtest/report shows a [Result] to people.
package backtest
