// Package model holds the words every other package speaks: funds and series
// and their identifiers, calendar dates, datasets with their topics, and the
// events that travel from ingest through Kafka to the projector.
//
// It stands at the bottom of the flow and imports nothing of ours. Rules that
// compute (returns, cutoffs, comparability) are not here: they live in package
// sql, once.
package model
