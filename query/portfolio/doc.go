// Package portfolio answers what a reader's purchases and sales of quotas have become. It reads the quotas, rates,
// indices and costs of the batch, and package savings does the arithmetic. Nothing of
// a request is stored or cached, and amounts are never logged. If a statement fails, the error log has the ids of the
// series and the period.
package portfolio
