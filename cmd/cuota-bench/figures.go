package main

import (
	"context"
	"regexp"
	"strings"
)

// figure is one measurement. -only selects it by its name.
type figure struct {
	name    string
	about   string
	measure func(context.Context, *bench) ([]line, error)
}

// figures lists all figures in the order in which they are measured. The stages come
// after the whole path because they are shown as shares of it.
func figures() []figure {
	return []figure{
		{"file-to-facts", "a cartola file through ingest, Kafka and the projector into fact_quota, against a bare insert", fileToFacts},
		{"stage-parse", "archive, parse, validate and encode alone", stageParse},
		{"stage-write", "the write to Kafka alone", stageWrite},
		{"stage-read", "the read from Kafka alone", stageRead},
		{"stage-decode", "from messages to rows alone, as the projector does it", stageDecode},
		{"stage-insert", "the insert alone, row-wise, against column-wise", stageInsert},
		{"batch-demo", "building the first batch of the demo market", batchOfDemo},
		{"batch-generated", "building the first batch of the generated market", batchOfGenerated},
		{"years-batch", "building the first batch of the synthetic market of years, its memory, against the bare windows", batchOfYears},
		{"years-start", "from the start on that market to the first answer", startOfYears},
		{"years-day", "one more day on it, and an old day stated again, against the full batch", oneMoreDay},
		{"years-past", "market-summary and all-funds of past dates on it, against a market of fewer years", pastDates},
		{"days", "the daily values of one series over years, first time, against the bare statement", daysOfSeries},
		{"idle", "memory of cuota up with the demo, left alone", idleDemo},
		{"screener", "requests to the screener, against a bare handler, ClickHouse and PostgreSQL for each request", screenerRequests},
		{"compare", "requests to compare, against a bare handler", compareRead.measure},
		{"returns", "requests for the returns of a series, against a bare handler", returnsRead.measure},
		{"ranking", "requests for the ranking of managers, against a bare handler", rankingRead.measure},
		{"hostile", "the screener, a batch and another person's SELECT 1 beside ten hostile people, against the same without them", hostilePeople},
		{"leases", "requests that one PostgreSQL counts for many query servers, against each counted by itself", leases},
		{"overload", "answers from ClickHouse beside a crowd, against the same without it; refusals; memory of silent connections", overload},
		{"half-rate", "the screener's latencies at half of its top rate, against a bare handler at the same", screenerAtHalfRate},
	}
}

func selected(only *regexp.Regexp) []figure {
	var list []figure
	for _, f := range figures() {
		if only.MatchString(f.name) {
			list = append(list, f)
		}
	}
	return list
}

func figureList() string {
	var text strings.Builder
	for _, f := range figures() {
		text.WriteString("  " + f.name + strings.Repeat(" ", max(1, 17-len(f.name))) + f.about + "\n")
	}
	return text.String()
}
