// Package projector turns events into facts and facts into published batches.
//
// It is the middle of the flow: it consumes the datasets' topics, writes facts
// to ClickHouse and commits an offset only after they are stored. When all rows
// of a file have arrived it builds a batch by the statements of package sql,
// checks it, and publishes it by writing one row. The query server reads
// published batches and nothing else.
//
// What makes the result exact although Kafka delivers at least once: facts carry
// their natural key and a revision that comes from the event, tables keep one of
// equal rows, and a batch is computed from facts alone. So the same events in any
// order, with any duplicates, over any number of restarts, give the same
// projections.
//
// The statements of sql/projections take these parameters:
//
//	batch     UInt64  the batch being built
//	previous  UInt64  the published batch before it, 0 for none
//	rebuild   Bool    build every day anew, not only those that changed
//	attempt   UInt8   the round of giving out ids (20_registry)
//	as_of     Date    the cutoff: the latest complete date of the batch
//	from, to  Date    a chunk of days or months, for the projections that run once for each (chunkedScripts)
package projector
