// Package query answers the public API.
//
// It is the last part of the pipeline. The projector publishes a batch by inserting one
// row. A follower in this package notices the row, and from then on requests are answered
// from that batch. Each request pins one batch at its start and reads no other, so that no
// reply mixes two batches.
//
// A request passes these steps in order: request id, access log and recovery from panics
// (access.go), cross-origin headers (cors.go), the limit per client address (burst.go), and
// the router. The operation that it is routed to then checks the API key and its quota
// (admission.go), the parameters (parameter.go), the batch (batch.go) and the validators of
// HTTP caches (respond.go). The reply itself comes from the operation's own file.
//
// Every operation is one value in the table of operations.go, from which come its route,
// the checks of its parameters and the names of ignored parameters. A test compares the
// table with openapi.json. Rules that compute values are in package sql. This package
// selects rows, sorts them as requested, and encodes them.
package query
