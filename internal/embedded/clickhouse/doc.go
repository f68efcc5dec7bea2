// Package clickhouse runs the ClickHouse engine inside this process and serves
// it on a loopback port that speaks the ClickHouse HTTP interface.
//
// It exists so that one machine needs no second server: the projector and the
// query server reach it with clickhouse-go over HTTP, with the same SQL and
// the same code as they reach a ClickHouse cluster. Only the program that
// wires the components together knows that the engine is embedded.
//
// Two identities may call. The owner, whose random password is known to this
// process alone (see Server.Options), reads and writes. People need no
// password and may only read: one SELECT, SHOW, DESCRIBE or EXPLAIN per
// request, over the tables of the product's database, within limits of time,
// memory and size, and nothing of the host; see policy.go for how each way
// around that is closed.
//
// A request is answered in this order: its Host and credentials are checked
// (endpoint.go), its statement is read and, for an INSERT, its data received
// to the end (request.go, spool.go), it is admitted to its lane (lanes.go),
// run on a pooled session of the engine (sessions.go, run.go) and its output
// written, or its failure told the way a ClickHouse server tells it
// (response.go).
//
// A process has one engine and one data directory at a time. After Stop
// another Server may be started, on the same directory or another.
package clickhouse
