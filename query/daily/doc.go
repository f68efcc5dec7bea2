// Package daily declares the endpoints about many series on chosen days: their quotas, their returns, and the returns
// between any two days.
package daily
