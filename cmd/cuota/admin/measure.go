package admin

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sys/unix"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/upkeep"
	"cuota/ingest/archive"
	"cuota/internal/account"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/eventlog"
	"cuota/internal/mail"
	"cuota/internal/metrics"
	"cuota/internal/santiago"
	"cuota/internal/traces"
	"cuota/internal/webhook"
	"cuota/model"
	"cuota/query"
	"cuota/sql"
)

// pollEvery is how often the sources of metrics are asked.
const pollEvery = 15 * time.Second

// TablesSource asks ClickHouse which files have arrived and which batch is published.
func TablesSource(conn driver.Conn, now func() time.Time) metrics.Source {
	return metrics.Source{
		Name: "clickhouse",
		Names: []string{
			"cuota_dataset_age_days", "cuota_dataset_overdue_days", "cuota_dataset_findings",
			"cuota_dataset_quarantined_files", "cuota_dataset_rejected_rows", "cuota_dataset_arriving_files",
			"cuota_batch_age_seconds", "cuota_batch_cutoff_age_days", "cuota_build_failing", "cuota_unprojected_files",
		},
		Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
			at := now()
			datasets, err := upkeep.StoredDatasets(ctx, conn, at)
			if err != nil {
				return nil, err
			}
			var state upkeep.Status
			if err := state.ReadBatch(ctx, conn); err != nil {
				return nil, err
			}
			today := model.DateOf(at.In(santiago.Zone))
			samples := map[string][]metrics.Sample{
				"cuota_unprojected_files": metrics.Value(state.Unprojected),
				"cuota_build_failing":     metrics.Value(metrics.Truth(state.Failure != "")),
			}
			if batch := state.Batch; batch != nil {
				samples["cuota_batch_age_seconds"] = metrics.Value(at.Sub(batch.CalculatedAt).Seconds())
				if batch.Cutoff != nil {
					samples["cuota_batch_cutoff_age_days"] = metrics.Value(float64(today.DaysSince(*batch.Cutoff)))
				}
			}
			for _, dataset := range datasets {
				put := func(name string, value float64) {
					samples[name] = append(samples[name],
						metrics.Sample{Value: value, Labels: []string{string(dataset.Dataset)}})
				}
				put("cuota_dataset_rejected_rows", float64(dataset.Rejected))
				put("cuota_dataset_arriving_files", float64(dataset.Arriving))
				put("cuota_dataset_findings", float64(dataset.Findings))
				put("cuota_dataset_quarantined_files", float64(dataset.Quarantined))
				if dataset.Overdue != nil {
					put("cuota_dataset_overdue_days", float64(*dataset.Overdue))
				}
				if dataset.LastDate != nil {
					put("cuota_dataset_age_days", float64(today.DaysSince(*dataset.LastDate)))
				}
			}
			return samples, nil
		},
	}
}

// PartsSource asks ClickHouse for the damaged parts that it has set aside.
func PartsSource(conn driver.Conn) metrics.Source {
	const name = "cuota_broken_parts"
	return metrics.Source{Name: "parts", Names: []string{name},
		Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
			var parts uint64
			if err := conn.QueryRow(ctx, sql.Query("parts_set_aside")).Scan(&parts); err != nil {
				return nil, fmt.Errorf("count the broken parts of the tables: %w", err)
			}
			return map[string][]metrics.Sample{name: metrics.Value(parts)}, nil
		}}
}

// KafkaSource asks the brokers for the lag of the projector.
func KafkaSource(group *eventlog.Group) metrics.Source {
	const lagging, lost, ahead = "cuota_kafka_lag_messages", "cuota_kafka_lost_messages", "cuota_kafka_ahead_messages"
	return metrics.Source{Name: "kafka", Names: []string{lagging, lost, ahead},
		Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
			lags, err := group.Lag(ctx)
			if err != nil {
				return nil, err
			}
			samples := map[string][]metrics.Sample{}
			for _, lag := range lags {
				labels := []string{lag.Topic, strconv.Itoa(lag.Partition)}
				if lag.Ahead == 0 { // else the lag is not known
					samples[lagging] = append(samples[lagging], metrics.Sample{Value: float64(lag.Lag), Labels: labels})
				}
				samples[ahead] = append(samples[ahead], metrics.Sample{Value: float64(lag.Ahead), Labels: labels})
				samples[lost] = append(samples[lost], metrics.Sample{Value: float64(lag.Lost), Labels: labels})
			}
			return samples, nil
		}}
}

// AccountsSource asks the account store for its mails and for the messages of webhooks.
func AccountsSource(outbox *mail.Outbox, hooks *webhook.Hooks) metrics.Source {
	const mails, oldest = "cuota_mail_outbox_messages", "cuota_mail_outbox_oldest_seconds"
	const messages, overdue, disabled = "cuota_webhook_messages", "cuota_webhook_overdue_seconds", "cuota_webhooks_disabled"
	return metrics.Source{Name: "accounts", Names: []string{mails, oldest, messages, overdue, disabled},
		Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
			count, err := outbox.Count(ctx)
			if err != nil {
				return nil, err
			}
			posted, err := hooks.Count(ctx)
			if err != nil {
				return nil, err
			}
			return map[string][]metrics.Sample{
				mails:    byState(count.Waiting, count.GivenUp),
				oldest:   metrics.Value(count.Oldest.Seconds()),
				messages: byState(posted.Waiting, posted.GivenUp),
				overdue:  metrics.Value(posted.Overdue.Seconds()),
				disabled: metrics.Value(posted.Disabled),
			}, nil
		}}
}

func byState(waiting, givenUp int64) []metrics.Sample {
	return []metrics.Sample{{Value: float64(waiting), Labels: []string{"waiting"}},
		{Value: float64(givenUp), Labels: []string{"given_up"}}}
}

// DiskSource measures the size of the data directory and the free space of its disk.
func DiskSource(dir *datadir.Directory, files *archive.Archive) metrics.Source {
	const free, size, inodes = "cuota_data_free_bytes", "cuota_data_size_bytes", "cuota_data_free_inodes"
	const archived, limit = "cuota_archive_bytes", "cuota_archive_limit_bytes"
	return metrics.Source{Name: "disk", Names: []string{free, size, inodes, archived, limit},
		Read: func(context.Context) (map[string][]metrics.Sample, error) {
			var disk unix.Statfs_t
			if err := unix.Statfs(dir.Path, &disk); err != nil {
				return nil, fmt.Errorf("read the free space on the disk of %s: %w", dir.Path, err)
			}
			taken, most, err := files.Usage()
			if err != nil {
				return nil, err
			}
			block := uint64(disk.Bsize) // the field has another type on some systems
			samples := map[string][]metrics.Sample{
				free: metrics.Value(disk.Bavail * block), size: metrics.Value(disk.Blocks * block),
				archived: metrics.Value(taken), limit: metrics.Value(most),
			}
			if disk.Files > 0 {
				samples[inodes] = metrics.Value(uint64(disk.Ffree))
			}
			return samples, nil
		}}
}

// MeasureEngine registers the metrics of the ClickHouse process.
func (a *Server) MeasureEngine(engine *embedded.Server) {
	a.Metrics.Sampled("cuota_engine_running", func() []metrics.Sample {
		return metrics.Value(metrics.Truth(engine.State().Running))
	})
	a.Metrics.Sampled("cuota_engine_restarts_total", func() []metrics.Sample {
		return metrics.Value(int64(engine.State().Restarts))
	})
	a.Metrics.Sampled("cuota_engine_resident_bytes", func() []metrics.Sample {
		bytes, known := residentBytes(engine.State().PID)
		if !known {
			return nil
		}
		return metrics.Value(bytes)
	})
}

// residentBytes returns the resident memory of a process. known is false if the system
// has no /proc.
func residentBytes(pid int) (bytes int64, known bool) {
	if pid == 0 {
		return 0, false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}

// measureConsumer registers the counters of the log's consumer.
func (a *Server) measureConsumer(group *eventlog.Group) {
	for name, of := range map[string]func(eventlog.GroupStats) uint64{
		"cuota_consumer_messages_total":     func(s eventlog.GroupStats) uint64 { return s.Messages },
		"cuota_consumer_failures_total":     func(s eventlog.GroupStats) uint64 { return s.Failures },
		"cuota_consumer_stalls_total":       func(s eventlog.GroupStats) uint64 { return s.Stalls },
		"cuota_consumer_gap_messages_total": func(s eventlog.GroupStats) uint64 { return s.Gaps },
		"cuota_consumer_rewinds_total":      func(s eventlog.GroupStats) uint64 { return s.Rewinds },
	} {
		a.Metrics.Sampled(name, func() []metrics.Sample { return metrics.Value(of(group.Stats())) })
	}
}

// MeasureServing registers the counters of the API other than those of requests. poster is nil without an account
// area.
func (a *Server) MeasureServing(server *query.Server, leases *account.Leases, poster *webhook.Sender) {
	if poster != nil {
		a.Metrics.Sampled("cuota_webhook_attempts_total", func() []metrics.Sample {
			delivered, failed := poster.Attempts()
			return []metrics.Sample{{Value: float64(delivered), Labels: []string{"delivered"}},
				{Value: float64(failed), Labels: []string{"failed"}}}
		})
	}
	a.Metrics.Sampled("cuota_reply_cache_bytes", func() []metrics.Sample { return metrics.Value(server.CacheBytes()) })
	a.Metrics.Sampled("cuota_quota_leases", func() []metrics.Sample { return metrics.Value(leases.Stats().Keys) })
	a.Metrics.Sampled("cuota_health_state", func() []metrics.Sample {
		now := server.State()
		var samples []metrics.Sample
		for _, state := range query.States() {
			samples = append(samples, metrics.Sample{Value: metrics.Truth(state == now), Labels: []string{state}})
		}
		return samples
	})
	a.Metrics.Sampled("cuota_quota_leased_requests", func() []metrics.Sample {
		return metrics.Value(leases.Stats().Requests)
	})
}

// MeasureTraces registers the counters of spans.
func (a *Server) MeasureTraces(spans *traces.Traces) {
	a.Metrics.Sampled("cuota_trace_spans_total", func() []metrics.Sample {
		counted := spans.Counts()
		return []metrics.Sample{{Value: float64(counted.Sent), Labels: []string{"sent"}},
			{Value: float64(counted.Dropped), Labels: []string{"dropped"}},
			{Value: float64(counted.Refused), Labels: []string{"refused"}}}
	})
}

// Poll starts asking the sources of metrics, unless no admin address serves them.
func (a *Server) Poll(sources ...metrics.Source) *metrics.Poll {
	poll := a.Metrics.Poll(pollEvery, a.log, sources...)
	if a.listener != nil {
		poll.Start()
	}
	return poll
}
