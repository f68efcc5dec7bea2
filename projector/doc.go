// Package projector turns events into facts, and facts into published batches.
//
// It is the middle of the pipeline. It consumes the topics of the datasets, writes facts to
// ClickHouse, and commits an offset only after the facts are stored. When all rows of a
// file have arrived, it builds a batch with the statements of package sql, checks it, and
// publishes it by inserting one row. The query server reads only published batches.
//
// Kafka delivers each message at least once, in no fixed order between partitions. The
// result is exact all the same, for three reasons: a fact carries its natural key and a
// revision that comes from the event; a table keeps one of several equal rows; and a batch
// is computed from facts alone. The same events therefore give the same projections, in any
// order, with any duplicates, and after any number of restarts.
//
// This package ties the steps together: it decides when something is built, inspected or dropped,
// and lets nothing be written while the tables are copied. The steps themselves are its rooms:
// store keeps what arrives, inspect looks for damage, build makes and publishes a batch, schema
// makes the tables, and write is how the others write.
package projector
