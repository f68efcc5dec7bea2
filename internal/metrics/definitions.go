package metrics

// kind is the Prometheus type of a metric.
type kind string

const (
	counter   kind = "counter"   // never falls while the process runs
	gauge     kind = "gauge"     // rises and falls
	histogram kind = "histogram" // counts values by size
)

// definition defines a metric. docs/metrics.md is generated from the definitions.
type definition struct {
	name   string
	kind   kind
	labels []string
	from   string // commands whose process has the metric
	help   string // a sentence, with unit and rule
	// buckets are the upper bounds of a histogram.
	buckets []float64
}

// Upper bounds in seconds. Most responses come from memory within a millisecond. A statement
// may take ten seconds at most.
var (
	requestBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}
	buildBuckets   = []float64{.01, .1, 1, 5, 30, 120, 600, 3600}
)

const (
	everywhere = "up, project, query"
	serving    = "up, query"
	projecting = "up, project"
	onlyUp     = "up"
)

var definitions = []definition{
	// Requests.
	{"cuota_http_request_seconds", histogram, []string{"route", "status", "source"}, serving,
		"Duration from the arrival of a request to the end of its reply, by the pattern of its route, the class of " +
			"its status and the source of the reply: snapshot, cache, clickhouse, or none of them. The route is " +
			"unmatched if no operation matched.", requestBuckets},
	{"cuota_http_refused_total", counter, []string{"status"}, serving,
		"Requests without a route: they are not well-formed HTTP, or came from clients beyond the limit of " +
			"connections (503).", nil},
	{"cuota_reply_cache_lookups_total", counter, []string{"outcome"}, serving,
		"Lookups in the response cache, by outcome: hit, miss, or shared with another request for the same reply.",
		nil},
	{"cuota_reply_cache_bytes", gauge, nil, serving, "Size of the replies in the response cache, in bytes.", nil},
	{"cuota_quota_leases", gauge, nil, serving,
		"API keys with a lease. A lease counts requests in the account store before they are made.", nil},
	{"cuota_quota_leased_requests", gauge, nil, serving, "Leased requests that are not used yet.", nil},
	{"cuota_mail_outbox_messages", gauge, []string{"state"}, serving,
		"Mails in the outbox: waiting to be sent, or given_up.", nil},
	{"cuota_mail_outbox_oldest_seconds", gauge, nil, serving,
		"Age of the oldest mail that waits to be sent; 0 if none waits.", nil},
	{"cuota_webhook_messages", gauge, []string{"state"}, serving,
		"Messages to webhooks: waiting to be sent or sent again, or given_up within 30 days.", nil},
	{"cuota_webhook_overdue_seconds", gauge, nil, serving,
		"How long the message to a webhook that is due first has been due; 0 if none is.", nil},
	{"cuota_webhooks_disabled", gauge, nil, serving,
		"Webhooks that are disabled, because their receivers are gone or failed for five days.", nil},
	{"cuota_webhook_attempts_total", counter, []string{"result"}, serving,
		"Attempts of this process to send a message to a webhook, by result: delivered or failed. Absent without an " +
			"account area.", nil},
	{"cuota_trace_spans_total", counter, []string{"result"}, serving,
		"Spans by what became of them: sent to the collector of traces, dropped because too many waited or because the " +
			"process stopped, or refused by the collector. 0 unless traces are on.", nil},

	// Batches.
	{"cuota_batch_age_seconds", gauge, nil, everywhere,
		"Time since the published batch was calculated. Absent before the first.", nil},
	{"cuota_batch_cutoff_age_days", gauge, nil, everywhere,
		"Days from the cutoff of the published batch to today in Santiago. Absent without a cutoff.", nil},
	{"cuota_build_failing", gauge, nil, everywhere,
		"1 if the last attempt to build a batch failed and none was published since, else 0.", nil},
	{"cuota_unprojected_files", gauge, nil, everywhere, "Complete files that the published batch does not include.",
		nil},
	{"cuota_build_seconds", histogram, []string{"result"}, projecting,
		"Duration of attempts to build a batch, by result: published, refused by its checks, superseded by another " +
			"projector, or failed.", buildBuckets},
	{"cuota_projection_seconds", histogram, []string{"projection"}, projecting,
		"Duration of each projection of a batch. Projections run in parallel, so the times overlap. The projection " +
			"named checks means all checks of the batch.", buildBuckets},

	{"cuota_notary_leaves", gauge, nil, projecting,
		"Batches in the log of published batches. Absent without a notary.", nil},
	{"cuota_notary_fault", gauge, nil, projecting,
		"1 if nothing is appended to the log of published batches until an operator has acted, else 0: /readyz has the " +
			"reason. Absent without a notary.", nil},

	// Data.
	{"cuota_dataset_age_days", gauge, []string{"dataset"}, everywhere,
		"Days from the last date in a dataset to today in Santiago. Absent without rows that have dates.", nil},
	{"cuota_dataset_overdue_days", gauge, []string{"dataset"}, everywhere,
		"Days since the next data of a dataset should have been here (CUOTA_FRESHNESS); negative while it is not " +
			"due. Absent without files, or if nothing is expected.", nil},
	{"cuota_dataset_findings", gauge, []string{"dataset"}, everywhere,
		"Differences between the files of a dataset and the files before them.", nil},
	{"cuota_dataset_quarantined_files", gauge, []string{"dataset"}, everywhere,
		"Files of a dataset that wait for a person, because wrong figures might be computed from them.", nil},
	{"cuota_dataset_rejected_rows", gauge, []string{"dataset"}, everywhere, "Rows of a dataset that were rejected.",
		nil},
	{"cuota_dataset_arriving_files", gauge, []string{"dataset"}, everywhere,
		"Files of a dataset that have arrived incompletely: rows of them are missing.", nil},
	{"cuota_broken_parts", gauge, nil, projecting,
		"Broken parts that ClickHouse itself has detached. Parts that an inspection of cuota detached are not counted.",
		nil},
	{"cuota_archive_bytes", gauge, nil, onlyUp, "Size of the archive of raw files, in bytes.", nil},
	{"cuota_archive_limit_bytes", gauge, nil, onlyUp, "Size limit of the archive, in bytes: CUOTA_ARCHIVE_GIB.", nil},
	{"cuota_data_free_bytes", gauge, nil, onlyUp, "Free bytes for this user on the disk of the data directory.", nil},
	{"cuota_data_free_inodes", gauge, nil, onlyUp,
		"Files that this user can still make on the disk of the data directory. Absent on a file system without such " +
			"a limit.", nil},
	{"cuota_data_size_bytes", gauge, nil, onlyUp, "Size of the disk of the data directory, in bytes.", nil},

	// Kafka.
	{"cuota_kafka_lag_messages", gauge, []string{"topic", "partition"}, projecting,
		"Messages that the projector has not stored yet. Absent if the committed offset is after the end of the log: " +
			"the lag is then not known.", nil},
	{"cuota_kafka_ahead_messages", gauge, []string{"topic", "partition"}, projecting,
		"By how much the offset that the projector has committed is after the end of the log; 0 in a healthy log.",
		nil},
	{"cuota_kafka_lost_messages", gauge, []string{"topic", "partition"}, projecting,
		"Messages that retention removed from the log before they were stored: ingest their files again.", nil},
	{"cuota_consumer_messages_total", counter, nil, projecting, "Messages that this process has stored.", nil},
	{"cuota_consumer_failures_total", counter, nil, projecting,
		"Failures to read, store or commit messages, or to join the consumer group. Each operation is tried again.",
		nil},
	{"cuota_consumer_stalls_total", counter, nil, projecting,
		"Reconnections of a partition because no message arrived although the log has more.", nil},
	{"cuota_consumer_gap_messages_total", counter, nil, projecting,
		"Messages that were no longer in the log when the projector wanted to read them.", nil},
	{"cuota_consumer_rewinds_total", counter, nil, projecting,
		"Number of times that the end of the log or the committed offset went back.", nil},

	// ClickHouse.
	{"cuota_clickhouse_statements_total", counter, []string{"statement"}, everywhere,
		"Statements sent to ClickHouse, by name. The name is the log_comment in its query log.", nil},
	{"cuota_clickhouse_slow_statements_total", counter, []string{"statement"}, everywhere,
		"Statements that took at least CUOTA_SLOW_STATEMENT.", nil},
	{"cuota_clickhouse_killed_statements_total", counter, nil, everywhere,
		"Statements that ClickHouse ended before they were done: at their limit of time, memory or rows, or because " +
			"somebody killed them.", nil},
	{"cuota_engine_running", gauge, nil, onlyUp, "1 while the process of the ClickHouse engine runs, else 0.", nil},
	{"cuota_engine_restarts_total", counter, nil, onlyUp,
		"Number of times that the ClickHouse engine was restarted because it had ended.", nil},
	{"cuota_engine_resident_bytes", gauge, nil, onlyUp,
		"Resident memory of the process of the ClickHouse engine. That of cuota itself is " +
			"process_resident_memory_bytes.", nil},

	// The process.
	{"cuota_part_alive", gauge, []string{"part"}, everywhere,
		"1, or 0 if a part of the process hangs or has ended, as /livez reports.", nil},
	{"cuota_part_ready", gauge, []string{"part"}, everywhere,
		"1, or 0 if a part of the process can't do its work, as /readyz reports.", nil},
	{"cuota_part_degraded", gauge, []string{"part"}, everywhere,
		"1 if a part of the process does only some of its work, else 0. The API is degraded while ClickHouse does " +
			"not answer and replies come from memory.", nil},
	{"cuota_health_state", gauge, []string{"state"}, serving,
		"1 for the state that /health answers with, 0 for the others.", nil},
	{"cuota_source_up", gauge, []string{"source"}, everywhere,
		"1 if the last reading of a source succeeded, else 0. The sources are clickhouse, parts, kafka, accounts and " +
			"disk. While it is 0, the metrics of the source keep their last values.", nil},
	{"cuota_program_info", gauge, []string{"version"}, everywhere, "1, with the version of the program.", nil},
}
