// Package history reads the history of one published batch from ClickHouse, as the Source of backtests. Each file
// reads one thing: candidates with their values (candidates, standing, catalogues, put together by draft), quotas,
// what is held over a period, and in source.go the rest. The statements are sql/queries/backtest_*.sql.
//
// docs/backtests.md has the rules; "section n" in the comments is a section of that page.
package history
