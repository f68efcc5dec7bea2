// Package batch follows the published batch. The projector publishes a batch by inserting
// one row. A Follower notices the row, reads the parts of the batch that are kept in memory,
// and makes it the current batch. A request takes one batch at its start and reads no other.
//
// The package does not know what the parts are, nor what requests ask: package query
// declares the parts and answers from them.
package batch
