// Package build makes a batch: it takes a number, runs the statements of sql/projections in the
// order of their numbers, checks the result, notes how many rows each table holds, and publishes
// the batch by inserting one row. It also drops what no kept batch needs.
//
// The statements of sql/projections take these parameters:
//
//	batch     UInt64  number of the batch that is being built
//	plan      UInt64  number of its plan, which says what it consists of (batch_plan)
//	previous  UInt64  the published batch before it; 0 if there is none
//	rebuild   Bool    build every day again, not only the days that changed
//	as_of     Date    the cutoff: the latest complete date of the batch
//	finer     UInt32  how many times smaller chunks are, for the query that lists them; 1 except in tests
//	attempt   UInt8   round, from 0, for a projection whose header states until
//	from, to  Date    first and last day of a chunk, for a projection whose header states chunks; a
//	                  chunk of series has ids in their place, as String
//
// docs/decisions/0017-statements-side-by-side.md lists what a header can state.
package build
