// Package summary declares the endpoints that sum up the market: market summaries, family indices, rankings and
// evolution of managers, and changes of cost rates.
package summary
