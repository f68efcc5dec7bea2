package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sys/unix"

	"cuota/ingest"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/eventlog"
	"cuota/internal/metrics"
	"cuota/internal/santiago"
	"cuota/model"
	"cuota/query"
	"cuota/sql"
)

// pollEvery is how often the sources of metrics are asked.
const pollEvery = 15 * time.Second

// tablesSource asks ClickHouse which files have arrived and which batch is published.
func tablesSource(conn driver.Conn, now func() time.Time) metrics.Source {
	return metrics.Source{
		Name: "clickhouse",
		Names: []string{
			"cuota_dataset_age_days", "cuota_dataset_overdue_days", "cuota_dataset_findings", "cuota_dataset_quarantined_files", "cuota_dataset_rejected_rows", "cuota_dataset_arriving_files",
			"cuota_batch_age_seconds", "cuota_batch_cutoff_age_days", "cuota_build_failing", "cuota_unprojected_files",
		},
		Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
			at := now()
			datasets, err := storedDatasets(ctx, conn, at)
			if err != nil {
				return nil, err
			}
			var state status
			if err := state.readBatch(ctx, conn); err != nil {
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
					samples[name] = append(samples[name], metrics.Sample{Value: value, Labels: []string{string(dataset.Dataset)}})
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

// partsSource asks ClickHouse for the damaged parts that it has set aside.
func partsSource(conn driver.Conn) metrics.Source {
	const name = "cuota_broken_parts"
	return metrics.Source{Name: "parts", Names: []string{name}, Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
		var parts uint64
		if err := conn.QueryRow(ctx, sql.Query("parts_set_aside")).Scan(&parts); err != nil {
			return nil, fmt.Errorf("count the broken parts of the tables: %w", err)
		}
		return map[string][]metrics.Sample{name: metrics.Value(parts)}, nil
	}}
}

// kafkaSource asks the brokers for the lag of the projector.
func kafkaSource(group *eventlog.Group) metrics.Source {
	const lagging, lost, ahead = "cuota_kafka_lag_messages", "cuota_kafka_lost_messages", "cuota_kafka_ahead_messages"
	return metrics.Source{Name: "kafka", Names: []string{lagging, lost, ahead}, Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
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

// accountsSource asks the account store for its mails.
func accountsSource(serving *serving) metrics.Source {
	const messages, oldest = "cuota_mail_outbox_messages", "cuota_mail_outbox_oldest_seconds"
	return metrics.Source{Name: "accounts", Names: []string{messages, oldest}, Read: func(ctx context.Context) (map[string][]metrics.Sample, error) {
		count, err := serving.outbox.Count(ctx)
		if err != nil {
			return nil, err
		}
		return map[string][]metrics.Sample{
			messages: {{Value: float64(count.Waiting), Labels: []string{"waiting"}}, {Value: float64(count.GivenUp), Labels: []string{"given_up"}}},
			oldest:   metrics.Value(count.Oldest.Seconds()),
		}, nil
	}}
}

// diskSource measures the size of the data directory and the free space of its disk.
func diskSource(dir *dataDirectory, archive *ingest.Archive) metrics.Source {
	const free, size, inodes = "cuota_data_free_bytes", "cuota_data_size_bytes", "cuota_data_free_inodes"
	const archived, limit = "cuota_archive_bytes", "cuota_archive_limit_bytes"
	return metrics.Source{Name: "disk", Names: []string{free, size, inodes, archived, limit}, Read: func(context.Context) (map[string][]metrics.Sample, error) {
		var disk unix.Statfs_t
		if err := unix.Statfs(dir.path, &disk); err != nil {
			return nil, fmt.Errorf("read the free space on the disk of %s: %w", dir.path, err)
		}
		taken, most, err := archive.Usage()
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

// measureEngine registers the metrics of the ClickHouse process.
func (a *admin) measureEngine(engine *embedded.Server) {
	a.metrics.Sampled("cuota_engine_running", func() []metrics.Sample { return metrics.Value(metrics.Truth(engine.State().Running)) })
	a.metrics.Sampled("cuota_engine_restarts_total", func() []metrics.Sample { return metrics.Value(int64(engine.State().Restarts)) })
	a.metrics.Sampled("cuota_engine_resident_bytes", func() []metrics.Sample {
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
func (a *admin) measureConsumer(group *eventlog.Group) {
	for name, of := range map[string]func(eventlog.GroupStats) uint64{
		"cuota_consumer_messages_total":     func(s eventlog.GroupStats) uint64 { return s.Messages },
		"cuota_consumer_failures_total":     func(s eventlog.GroupStats) uint64 { return s.Failures },
		"cuota_consumer_stalls_total":       func(s eventlog.GroupStats) uint64 { return s.Stalls },
		"cuota_consumer_gap_messages_total": func(s eventlog.GroupStats) uint64 { return s.Gaps },
		"cuota_consumer_rewinds_total":      func(s eventlog.GroupStats) uint64 { return s.Rewinds },
	} {
		a.metrics.Sampled(name, func() []metrics.Sample { return metrics.Value(of(group.Stats())) })
	}
}

// measureServing registers the counters of the API other than those of requests.
func (a *admin) measureServing(serving *serving) {
	a.metrics.Sampled("cuota_reply_cache_bytes", func() []metrics.Sample { return metrics.Value(serving.server.CacheBytes()) })
	a.metrics.Sampled("cuota_quota_leases", func() []metrics.Sample { return metrics.Value(serving.leases.Stats().Keys) })
	a.metrics.Sampled("cuota_health_state", func() []metrics.Sample {
		now := serving.server.State()
		var samples []metrics.Sample
		for _, state := range query.States() {
			samples = append(samples, metrics.Sample{Value: metrics.Truth(state == now), Labels: []string{state}})
		}
		return samples
	})
	a.metrics.Sampled("cuota_quota_leased_requests", func() []metrics.Sample { return metrics.Value(serving.leases.Stats().Requests) })
}

// poll starts asking the sources of metrics, unless no admin address serves them.
func (a *admin) poll(sources ...metrics.Source) *metrics.Poll {
	poll := a.metrics.Poll(pollEvery, a.log, sources...)
	if a.listener != nil {
		poll.Start()
	}
	return poll
}
