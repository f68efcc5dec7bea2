// Package series declares the endpoints about one series: its days, returns, cost rates, risk, and its profile. It also
// finds the series that an id means.
package series
