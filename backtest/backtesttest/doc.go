// Package backtesttest gives tests of backtests markets as sources without a database, strategies drawn at random,
// and the comparison of their results with those of package backtestoracle. Only tests import it.
package backtesttest
