// Package report shows a [backtest.Result] to people and to other programs: as one JSON object,
// as tables in CSV or Parquet, and as a page of HTML that needs neither scripts nor a network.
// Equal results give equal bytes in each of these forms. docs/backtests.md, section 8, says what
// is in which file.
//
// The package shows figures that package backtest computed. It computes only three things, for
// charts and tables: the drawdown of each day, the compounded return of each calendar year, and sums over dates.
package report
