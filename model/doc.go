// Package model holds the types that the other packages share: identifiers of funds and
// series, calendar dates, datasets with their topics, and the events that travel from
// ingest through Kafka to the projector.
//
// It imports no other package of this program. It holds no rule that computes (returns,
// cutoffs, comparability): those are in package sql.
package model
