// Package query answers the public API.
//
// It is the last part of the pipeline. The projector publishes a batch by inserting one row.
// Package query/batch notices the row and reads the batch into memory. Each request is
// answered from one batch, so that no reply mixes two batches. Package internal/httpapi does
// everything about HTTP that does not depend on funds.
//
// Each endpoint is one value in a file of its own, from which come its route and the checks
// of its parameters. A test compares the endpoints with openapi.json. Rules that compute
// values are in package sql. This package selects rows, sorts them as requested, and encodes
// them.
package query
