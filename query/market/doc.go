// Package market declares the endpoints that list the series alive at the cutoff: screener, compare and all-funds. It
// keeps their rows in memory, encoded, with indexes for the filters and orders of the screener.
package market
