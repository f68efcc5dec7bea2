// Package query answers the public API.
//
// It is the last part of the pipeline. The projector publishes a batch by inserting one row.
// Package query/batch notices the row and reads the batch into memory. Each request is
// answered from one batch, so that no reply mixes two batches. Package internal/httpapi does
// everything about HTTP that does not depend on funds.
//
// Each endpoint is one value in a file of its own, from which come its route and the checks
// of its parameters. The list of all endpoints is in server.go. A test compares it with openapi.json. Rules that
// compute values are in package sql. The packages below this one select rows, and sort them as requested. From the
// ground up:
//
//	savings    computes what purchases and sales have become
//	bulk       keeps tables of batches as files
//	receipt    how a number follows from lines of files
//	batch      follows the published batch, and keeps parts of it in memory
//	operation  what all endpoints have in common
//	facts      what replies say of a series
//	past       what past dates are answered from
//	market     screener, compare and all-funds
//	funds      managers, funds, instruments, portfolios, search
//	series     days, returns, costs and risk of one series
//	daily      many series on chosen days
//	summary    sums over the market
//	explain    answers with receipts
//	origin     what a batch was made from
//	portfolio  what a reader's own purchases and sales have become
package query
