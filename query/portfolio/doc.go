// Package portfolio answers what a reader's purchases and sales of quotas have become. It reads the quotas, rates,
// indices and costs of the batch, and package savings does the arithmetic. Nothing of a request is kept or logged.
package portfolio
