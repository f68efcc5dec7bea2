// Package query answers the public API.
//
// It stands at the end of the flow: the projector publishes a batch by writing
// one row, a follower here notices it, and from then on each request is
// answered from that batch. A request pins one batch at its start and reads no
// other, so that no answer mixes two.
//
// A request passes, in this order: request id, access log and panic guard
// (access.go), cross-origin headers (cors.go), the limit per address
// (burst.go), the router, then for its operation the API key and its quota
// (admission.go), the parameters (parameter.go), the batch (batch.go), the
// validators of HTTP caches (respond.go) and at last the operation's own file.
//
// Every operation is one value in the table of operations.go: its routes, the
// checks of its parameters and the names of ignored ones come from there, and a
// test holds the table against openapi.json. Values that compute are in package
// sql; this package selects, orders as asked, and encodes.
package query
