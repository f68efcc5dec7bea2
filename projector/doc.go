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
// The statements of sql/projections take these parameters:
//
//	batch     UInt64  number of the batch that is being built
//	previous  UInt64  the published batch before it; 0 if there is none
//	rebuild   Bool    build every day again, not only the days that changed
//	as_of     Date    the cutoff: the latest complete date of the batch
//	finer     UInt32  how many times smaller chunks are, for the query that lists them; 1 except in tests
//	attempt   UInt8   round, from 0, for a projection whose header states until
//	from, to  Date    first and last day of a chunk, for a projection whose header states chunks; a
//	                  chunk of series has ids in their place, as String
//
// docs/decisions/0017-statements-side-by-side.md lists what a header can state.
package projector
