// Package funds declares the endpoints that say which managers, funds, series, instruments and benchmarks there are,
// what funds hold, and what a search finds.
package funds
